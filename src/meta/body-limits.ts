// How large an object may be, however it came about: by a body, or by the defaults that are filled in.

/** Larger bodies are refused; kube-apiserver has the same limit. */
export const maxBodyBytes = 3 * 1024 * 1024;

/** An object of a megabyte and a half with as many would have 24 bytes a value, its key included: none in use is known. */
export const maxBodyValues = 65_536;
