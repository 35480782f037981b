// This document has no dialogs: where one more model needs another one closed, the first that may go is.

/** @type {any} */ (document.createElement('dialog').constructor.prototype).showModal ??= function showModal() {
  this.returnValue = this.querySelector('button').value;
  queueMicrotask(() => this.dispatchEvent(new this.ownerDocument.defaultView.Event('close'))); // once it is listened to
};
