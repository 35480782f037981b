// What begins only when the reader can see it.

const MARGIN = '300px';

/**
 * Calls once, when an element comes into the window or near it.
 * @param {Element} element
 * @param {() => void} call
 */
export function whenInSight(element, call) {
  const observer = new IntersectionObserver(
    (entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      observer.disconnect();
      call();
    },
    { rootMargin: MARGIN },
  );
  observer.observe(element);
}
