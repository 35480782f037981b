/* matmul.h: products of matrices. */
#ifndef GLASSFORMER_KERNEL_MATMUL_H
#define GLASSFORMER_KERNEL_MATMUL_H

#include "product.h"

/* matmul_forward: c[m,n] = epilogue(sum_k op(a)[m,k] op(b)[k,n]), with accumulate + c[m,n] in the
 *       sum
 * out   c (M,N)
 * in    a, b as in the shape
 * alias c overlaps neither a nor b nor what epilogue names. Rows may be longer than the shape says
 *       (x_row > its columns); what lies between is neither read nor written
 * order each element is one sum in the order of k, whatever M and N: a row's bits do not depend
 *       on its neighbours. K = 0 gives an empty sum
 * error K * 2^-24 * sum_k |a||b|, and 2^-24 |c| for each step of epilogue (tests/kernel/matmul.c)
 * source register tile and packed panels after Goto and van de Geijn 2008 */
void matmul_forward(float *restrict c, const float *a, const void *b, matmul_epilogue epilogue,
                    matmul_shape shape);

/* matmul_arrange: a matrix w (N,K) of rows as WEIGHT_PANELS, K <= MOST_ARRANGED, or back into rows: 8 rows at a
 * time as 8 columns of floats, which products read as they stand; the N % 8 rows at the end stay. */
enum { MOST_ARRANGED = 8192 };
void matmul_arrange(float *w, size_t N, size_t K, bool panels);

/* matmul_tile: the rows of the register tile that products have from now on: 4, unrolled (the
 * beginning), 6 (unrolled in the relaxed variant), or the tallest unrolled one, 0; see tile.c.
 * Speed alone depends on it, no bit does. Returns the rows. */
size_t matmul_tile(size_t rows);

/* linear_forward: y = epilogue(x w^T), PyTorch's nn.Linear: x (R,in), w (out,in) of a type, y (R,out).
 * linear_into: the same of y in rows of y_row floats; out may be 0. */
void linear_into(float *restrict y, size_t y_row, const float *x, const void *w, weight_type type,
                 matmul_epilogue epilogue, size_t R, size_t in, size_t out);
static inline void linear_forward(float *restrict y, const float *x, const void *w,
                                  weight_type type, matmul_epilogue epilogue, size_t R, size_t in,
                                  size_t out) {
    linear_into(y, out, x, w, type, epilogue, R, in, out);
}

/* linear_backward: the gradients of linear_forward with a bias, given dy (R,out)
 *   dx = dy w (add_dx: dx += dy w), dw += dy^T x, dbias += sum_r dy[r]
 * out   dx (R,in) or NULL; dw (out,in); dbias (out) or NULL
 * alias none */
void linear_backward(float *restrict dx, bool add_dx, float *restrict dw, float *restrict dbias,
                     const float *dy, const float *x, const float *w, size_t R, size_t in,
                     size_t out);

#endif
