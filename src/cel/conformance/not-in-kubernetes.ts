// Which cases of the official suite are not run, and why: what the expressions of Kubernetes do not have.

import type { OfficialCase } from './official-case.ts';

interface Skip {
  readonly reason: string;
  /** Files, sections or cases; `*` stands for any text and `?` for any character. */
  readonly where: readonly string[];
}

const skips: readonly Skip[] = [
  {
    reason:
      'Kubernetes gives expressions no messages, enums and extensions of protobuf files other than the well-known ones',
    where: [
      'proto2',
      'proto2_ext',
      'proto3',
      'enums',
      'wrappers',
      'comparisons/eq_literal/not_eq_dyn_proto?_msg_null',
      'comparisons/eq_wrapper/eq_*_proto?_null',
      'comparisons/eq_wrapper/eq_proto*',
      'comparisons/ne_literal/ne_proto*',
      'dynamic/*/field_*',
      'dynamic/any/literal',
      'dynamic/any/var',
      'dynamic/complex',
      'optionals/optionals/*struct*',
      'parse/nest/message_literal',
      'parse/repeat/message_literal',
      'parse/repeat/select',
      'parse/struct_field_names',
      'type_deductions/complex_initializers/struct',
      'type_deductions/field_access',
      'type_deductions/flexible_type_parameter_assignment/comprehension_type_var_aliasing',
      'type_deductions/flexible_type_parameter_assignment/list_parameters_do_not_unify',
      'type_deductions/flexible_type_parameter_assignment/overload_type_var_aliasing',
      'type_deductions/legacy_nullable_types/null_assignable_to_duration_parameter_candidate',
      'type_deductions/legacy_nullable_types/null_assignable_to_message_parameter_candidate',
      'type_deductions/legacy_nullable_types/null_assignable_to_timestamp_parameter_candidate',
      'type_deductions/wrappers',
    ],
  },
  { reason: 'the math library is not in the environment of Kubernetes', where: ['math_ext'] },
  { reason: 'cel.block is for programs that rewrite expressions and is not in Kubernetes', where: ['block_ext'] },
  {
    reason: 'in Kubernetes, what is neither a map nor a list has no fields, and asking for one is no error',
    where: ['optionals/optionals/map_null_entry_no_such_key', 'optionals/optionals/map_present_key_invalid_field'],
  },
  { reason: 'names in backticks are not enabled in Kubernetes', where: ['fields/quoted_map_fields'] },
  {
    reason: 'no environment of Kubernetes has a container that names are looked up in',
    where: ['namespace/namespace', 'dynamic/value_null/literal', 'dynamic/value_null/literal_no_field_access'],
  },
  {
    reason: 'Kubernetes checks every expression, and these are refused before they could run',
    where: [
      'basic/functions/unbound_is_runtime_error',
      'basic/variables/unbound_is_runtime_error',
      'comparisons/eq_literal/eq_list_elem_mixed_types',
      'comparisons/eq_literal/eq_mixed_types',
      'comparisons/eq_literal/not_eq_list_length',
      'comparisons/ne_literal/ne_mixed_types',
      'logic/*/short_circuit_type_*',
      'logic/conditional/mixed_type',
      'parse/receiver_function_names',
    ],
  },
  {
    reason: 'Kubernetes has version 2 of the string library, and the suite tests how version 4 writes',
    where: [
      'string_ext/format/*scientific notation*',
      'string_ext/format/* support for decimal',
      'string_ext/format/*infinity support for fixed-point',
      'string_ext/format/dyntype NaN/infinity support',
      'string_ext/format/dyntype support for lists',
      'string_ext/format/dyntype support for maps',
      'string_ext/format/list support for string',
      'string_ext/format/map support*',
    ],
  },
  {
    reason: 'cel-go 0.26, which Kubernetes 1.36 has, finds nothing beyond the end of a text instead of failing',
    where: ['string_ext/value_errors/indexof_out_of_range', 'string_ext/value_errors/lastindexof_out_of_range'],
  },
  {
    reason:
      'cel-go 0.26, which Kubernetes 1.36 has, gives all milliseconds of a duration, not those of its last second',
    where: ['timestamps/duration_converters/get_milliseconds'],
  },
  {
    reason:
      'cel-go 0.26, which Kubernetes 1.36 has, takes the last of entries with one key, and doubles and null as keys',
    where: [
      'fields/qualified_identifier_resolution/map_key_float',
      'fields/qualified_identifier_resolution/map_key_null',
      'fields/qualified_identifier_resolution/map_value_repeat_key',
      'fields/qualified_identifier_resolution/map_value_repeat_key_heterogeneous',
    ],
  },
  {
    reason: 'cel-go 0.26, which Kubernetes 1.36 has, deduces null',
    where: ['type_deductions/legacy_nullable_types/null_assignable_to_abstract_parameter_candidate'],
  },
];

/** Each path as a pattern. */
export const skipRows = skips.flatMap(({ reason, where }) =>
  where.map((path) => ({ path, reason, form: formOf(path) })),
);

/** A path stands for all that is below it. */
function formOf(path: string): RegExp {
  const form = path
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${form}(/|$)`, 's');
}

export const pathOf = ({ file, section, name }: OfficialCase): string => `${file}/${section}/${name}`;

export const isSkipped = (each: OfficialCase): boolean => skipRows.some(({ form }) => form.test(pathOf(each)));
