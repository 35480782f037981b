const WIDTH = 24;
const LINES = 20; // where no terminal is

/**
 * A bar of progress on stderr, redrawn in a terminal, else plain lines.
 * @param {string} name
 * @param {number} steps
 * @returns {(step: number, loss: number, accuracy?: number) => void}
 */
export function progress(name, steps) {
  const { stderr } = process;
  const started = performance.now();
  let drawn = -Infinity;
  return (step, loss, accuracy) => {
    const now = performance.now();
    const left = (((now - started) / step) * (steps - step)) / 1000;
    const score = `loss ${loss.toFixed(4)}${accuracy === undefined ? '' : `  accuracy ${accuracy.toFixed(3)}`}`;
    const figures = `${step}/${steps}  ${score}  ${Math.ceil(left)} s left`;
    if (!stderr.isTTY) {
      if (step % Math.ceil(steps / LINES) === 0 || step === steps) stderr.write(`${name} ${figures}\n`);
    } else if (now - drawn > 100 || step === steps) {
      drawn = now;
      const full = Math.round((WIDTH * step) / steps);
      stderr.write(
        `\r${name} ${'█'.repeat(full)}${'░'.repeat(WIDTH - full)} ${figures}\x1b[K${step === steps ? '\n' : ''}`,
      );
    }
  };
}
