// Which texts may stand in YAML without quotes, and which would then be something else.

/** What a text without quotes may be besides text, in version 1.1 of the language. */
const others =
  /^(?:|~|null|Null|NULL|y|Y|n|N|yes|Yes|YES|no|No|NO|on|On|ON|off|Off|OFF|true|True|TRUE|false|False|FALSE|\.nan|\.NaN|\.NAN|[-+]?\.(?:inf|Inf|INF))$/;
const integers = /^[-+]?(?:0b[01_]+|0o?[0-7_]+|0x[0-9a-fA-F_]+|[0-9][0-9_]*)$/;
const fractions = /^[-+]?(?:\.[0-9][0-9_]*|[0-9][0-9_]*(?:\.[0-9_]*)?)(?:[eE][-+]?[0-9]+)?$/;
const sixties = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/;
const times = /^\d{4}-\d\d?-\d\d?(?:(?:[Tt]|[ \t]+)\d\d?:\d\d?:\d\d?(?:\.\d*)?(?:[ \t]*(?:Z|[-+]\d\d?(?::?\d\d)?))?)?$/;

/** Whether a text without quotes is a text. */
export const isTextItself = (text: string): boolean =>
  !others.test(text) && ![integers, fractions, sixties, times].some((form) => form.test(text));

/** What a text allows. */
interface Allowed {
  /** Without quotes, as a value of a block. */
  readonly plain: boolean;
  readonly singleQuoted: boolean;
  /** Lines as they are, under a bar. */
  readonly literal: boolean;
}

const lineBreak = /[\n\r\u0085\u2028\u2029]/;
/** Marks that mean something at the beginning; others do so before a space only. */
const beginsAsMark = /^(?:---|\.\.\.|[#,[\]{}&*!|>'"%@`]|[?:-](?:[\s\0]|$))/;
const holdsMark = /:(?:[\s\u0085\u2028\u2029]|$)|[\s\u0085\u2028\u2029]#/;
/** What is shown as it is: no control characters, and nothing beyond the first plane. */
const special = /[^\n\x20-\x7e\u00a0-\ud7ff\ue000-\ufefe\uff00-\ufffd]/;

export function allowedOf(text: string): Allowed {
  const isSpecial = special.test(text) || / [\n\r\u0085\u2028\u2029]/.test(text);
  const breakThenSpace = /[\n\r\u0085\u2028\u2029] /.test(text);
  const isBroken = lineBreak.test(text) || /^ | $/.test(text);
  return {
    plain: !isSpecial && !isBroken && !beginsAsMark.test(text) && !holdsMark.test(text),
    singleQuoted: !isSpecial && !breakThenSpace,
    literal: !isSpecial && !text.endsWith(' '),
  };
}
