/** A manifest with the verdict of an API server. The verdicts are facts about the published definitions, written down by hand. */
export type ManifestCase = {
  readonly name: string
  readonly kind: string
  readonly apiVersion: string
  readonly object: Manifest
  /** The stored object, if the case is an update. */
  readonly old?: Manifest
  /** The place of the refusal. Absent: the manifest is accepted. */
  readonly at?: string
  /** Part of the message of Joiner's refusal, beside the place. */
  readonly says?: string
  /** True: only Joiner's definitions refuse the manifest. The published ones accept it. */
  readonly isStricter?: true
  /** Joiner's definitions accept the manifest. The published ones refuse it, in all versions or in this one. */
  readonly isLooser?: true | '1.14'
}

export type Manifest = { readonly [member: string]: unknown }

/** Changes by dotted path, with list items as `[0]`. Undefined removes the value. */
export type Change = { readonly [path: string]: unknown }

export type Row = {
  readonly change?: Change
  /** Makes the case an update: the changes that turn the base into the old object. */
  readonly from?: Change
  readonly at?: string
  readonly says?: string
  readonly isStricter?: true
  readonly isLooser?: true | '1.14'
}

export type Field = {
  readonly takes: readonly unknown[]
  readonly refuses?: readonly unknown[]
  /** Changes of the rest of the object that the field needs. */
  readonly given?: Change
  /** True: the published definitions do not have the field, and so refuse no value. */
  readonly isStricter?: true
}

export type Table = {
  readonly kind: string
  readonly apiVersion: string
  /** An object that is accepted without changes. */
  readonly base: Manifest
  /** By the path of a field: accepted values, and values that are refused at this path. */
  readonly fields?: { readonly [path: string]: Field }
  /** Rows by a sentence. */
  readonly rows?: { readonly [name: string]: Row }
  /** Required fields. */
  readonly required?: { readonly [path: string]: Change }
}

export function casesOf({ kind, apiVersion, base, fields = {}, rows = {}, required = {} }: Table): readonly ManifestCase[] {
  const of = (name: string, { change = {}, from, at, says, isStricter, isLooser }: Row): ManifestCase => ({
    name,
    kind,
    apiVersion,
    object: changed(base, change),
    ...(from === undefined ? {} : { old: changed(base, from) }),
    ...(at === undefined ? {} : { at }),
    ...(says === undefined ? {} : { says }),
    ...(isStricter === undefined ? {} : { isStricter }),
    ...(isLooser === undefined ? {} : { isLooser }),
  })
  return [
    ...Object.entries(fields).flatMap(([path, { takes, refuses = [], given = {}, ...stricter }]) => [
      ...takes.map((value) => of(`${path} of ${shown(value)}`, { change: { ...given, [path]: value } })),
      ...refuses.map((value) => of(`${path} of ${shown(value)}, refused`, { change: { ...given, [path]: value }, at: path, ...stricter })),
    ]),
    ...Object.entries(required).map(([path, given]) => of(`${path} left out`, { change: { ...given, [path]: undefined }, at: path })),
    ...Object.entries(rows).map(([name, row]) => of(name, row)),
  ]
}

/** The object with the values at the paths replaced. */
export function changed(object: Manifest, change: Change): Manifest {
  return Object.entries(change).reduce<Manifest>((result, [path, value]) => put(result, stepsOf(path), value) as Manifest, object)
}

function stepsOf(path: string): readonly (string | number)[] {
  return path.split('.').flatMap((step) => {
    const [name = '', ...indexes] = step.split('[')
    return [name, ...indexes.map((index) => Number.parseInt(index, 10))]
  })
}

function put(object: unknown, [step, ...rest]: readonly (string | number)[], value: unknown): unknown {
  if (step === undefined) return value
  if (typeof step === 'number') {
    const list = Array.isArray(object) ? [...(object as readonly unknown[])] : []
    list[step] = put(list[step], rest, value)
    return list
  }
  const { [step]: before, ...others } = (object ?? {}) as Manifest
  const after = put(before, rest, value)
  return after === undefined ? others : { ...others, [step]: after }
}

function shown(value: unknown): string {
  const text = JSON.stringify(value).replaceAll(
    /(.)\1{9,}/gu,
    (run: string, character: string) => `${character}{${Array.from(run).length}}`,
  )
  return text.length > 160 ? `${text.slice(0, 60)}... (${text.length})` : text
}

/** Values at both bounds of an integer, and values beyond them. */
export function bounds(min: number, max?: number): Field {
  const outside = [min - 1, ...(max === undefined ? [2_147_483_648] : [max + 1]), min + 0.5, String(min)]
  return { takes: max === undefined ? [min, 2_147_483_647] : [min, max], refuses: outside }
}

export function oneOf(...values: readonly string[]): Field {
  const [first = ''] = values
  return {
    takes: values,
    refuses: ['', `${first}x`, `${first.charAt(0) === first.charAt(0).toUpperCase() ? 'x' : ''}${first.toUpperCase()}`, 1],
  }
}

export const flag: Field = { takes: [true, false], refuses: ['true', 1] }
export const anyText: Field = { takes: ['', 'a b'], refuses: [1, true, ['a']] }
