// Styles that are fetched with what they belong to.

/**
 * Adds a sheet to the document, which a strict Content-Security-Policy allows.
 * @param {string} css
 */
export function addStyle(css) {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
}
