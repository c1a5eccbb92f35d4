export interface NameRule {
  readonly pattern: RegExp
  readonly most: number
  readonly words: string
}

export const SUBDOMAIN_RULE: NameRule = {
  pattern: /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/,
  most: 253,
  words:
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character " +
    "(e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
}

export const LABEL_RULE: NameRule = {
  pattern: /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/,
  most: 63,
  words:
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character " +
    "(e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
}

/** The rule for names of roles and bindings: anything that can be part of a path. */
export const PATH_RULE: NameRule = { pattern: /^(?!\.{1,2}$)[^/%]+$/, most: 253, words: "may not contain '/' or '%'" }

export function nameProblem(name: string, rule: NameRule): string | undefined {
  if (!rule.pattern.test(name)) return rule.words
  return name.length > rule.most ? `must be no more than ${rule.most} characters` : undefined
}

const NAME_PART = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/
const NAME_PART_WORDS =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character " +
  "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"

/** Checks the rule for keys of labels, annotations and taints: an optional DNS prefix and a name. */
export function qualifiedNameProblem(key: string): string | undefined {
  const parts = key.split('/')
  if (parts.length > 2)
    return "a qualified name must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
  const name = parts.at(-1) ?? ''
  const prefix = parts.length === 2 ? parts[0] : undefined
  if (prefix === '') return 'prefix part must be non-empty'
  const badPrefix = prefix === undefined ? undefined : nameProblem(prefix, SUBDOMAIN_RULE)
  if (badPrefix) return `prefix part ${badPrefix}`
  if (name === '') return 'name part must be non-empty'
  if (name.length > 63) return 'name part must be no more than 63 characters'
  return NAME_PART.test(name) ? undefined : NAME_PART_WORDS
}

const LABEL_VALUE = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/

export function labelValueProblem(value: string): string | undefined {
  if (value.length > 63) return 'must be no more than 63 characters'
  return LABEL_VALUE.test(value)
    ? undefined
    : "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character " +
        "(e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
}
