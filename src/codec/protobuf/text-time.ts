// Times in JSON text, read without a string or a Date.

/** Seconds since 1970 of `2026-11-19T10:00:00`, which begins at `at`; -1 for what is earlier or not written so. */
export function secondsAt(json: Uint8Array, at: number): number {
  const year = twoDigits(json, at) * 100 + twoDigits(json, at + 2);
  const month = twoDigits(json, at + 5);
  const day = twoDigits(json, at + 8);
  const hour = twoDigits(json, at + 11);
  const minute = twoDigits(json, at + 14);
  const second = twoDigits(json, at + 17);
  const isWritten =
    json[at + 4] === 0x2d &&
    json[at + 7] === 0x2d &&
    json[at + 10] === 0x54 &&
    json[at + 13] === 0x3a &&
    json[at + 16] === 0x3a;
  // a comparison with NaN is false; days after the 28th of February are left to Date.parse
  const isDate = year >= 1970 && month >= 1 && month <= 12 && day >= 1 && (day <= 28 || (month !== 2 && day <= 30));
  if (!isWritten || !isDate || !(hour < 24 && minute < 60 && second < 60)) return -1;
  return ((daysUntil(year, month) + day - 1) * 24 + hour) * 3600 + minute * 60 + second;
}

/** Six digits; -1 for anything else. */
export function microsAt(json: Uint8Array, at: number): number {
  const micros = (twoDigits(json, at) * 100 + twoDigits(json, at + 2)) * 100 + twoDigits(json, at + 4);
  return micros >= 0 ? micros : -1;
}

function twoDigits(json: Uint8Array, at: number): number {
  const high = (json[at] as number) - 0x30;
  const low = (json[at + 1] as number) - 0x30;
  return high >= 0 && high <= 9 && low >= 0 && low <= 9 ? high * 10 + low : Number.NaN;
}

/** Days from 1970 to the first of a month, counted in years that begin in March: then the leap day is the last. */
function daysUntil(year: number, month: number): number {
  const y = month <= 2 ? year - 1 : year;
  const m = month <= 2 ? month + 9 : month - 3;
  const leaps = Math.floor(y / 4) - Math.floor(y / 100) + Math.floor(y / 400);
  return y * 365 + leaps + Math.floor((153 * m + 2) / 5) - 719_468;
}
