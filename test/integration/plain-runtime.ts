// Whether the tests run with a plain runtime, where headers over HTTP/1.1 end at Node's own limit.

export const isPlainRuntime = process.env['KEELSON_PLAIN_RUNTIME'] === '1';

/** The status of a request over HTTP/1.1 whose headers are larger than 16 KiB: `otherwise` where they are read. */
export const statusOfLargeHeaders = (otherwise: number) => (isPlainRuntime ? 431 : otherwise);
