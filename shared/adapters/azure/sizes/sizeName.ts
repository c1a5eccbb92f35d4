import { defined, ownValue } from '../../../base/values.ts'

/** The parts of the name of a VM size, by Azure's naming convention. */
export type SizeName = {
  /** First letter only. */
  readonly family: string
  readonly subfamily: string
  readonly cpus: number
  readonly constrainedCpus?: number
  /** Lower-case feature letters, for example `ads`. */
  readonly features: string
  /** For example `A100`. Set also if the name leaves it out but the series always has it. */
  readonly accelerator?: string
  readonly isConfidentialChild: boolean
  /** For example `v5`. Absent for the first version. */
  readonly version?: string
  readonly isPromo: boolean
  /** For example `Ds_v3`. It does not include accelerators. */
  readonly series: string
}

const GRAMMAR = new RegExp(
  [
    /^(?<family>[A-Z])(?<subfamily>[A-Z]{0,2})(?<cpus>\d+)(?:-(?<constrained>\d+))?/,
    /(?<features>(?:NP|[a-z]|P|C)*)(?:_NDR)?/,
    /(?:(?:_xl)?_(?<accelerator>[A-Z]+\d+[A-Za-z]*))?(?<cc>_cc)?(?:_(?:\d+|flex|noib))?/,
    /(?:_(?<version>v\d+))?(?<promo>_Promo)?$/,
  ]
    .map((part) => part.source)
    .join(''),
)

/** The accelerators of series whose names do not contain them. */
const ACCELERATOR_OF_SERIES: Readonly<Record<string, string>> = {
  NCs_v3: 'V100',
  NCrs_v3: 'V100',
  NDrs_v2: 'V100',
  NDs_v2: 'V100',
  NDasr_v4: 'A100',
  NVs_v3: 'M60',
  NVas_v4: 'MI25',
}

/** Parses a size name without its tier, for example `D4s_v3`. Undefined if it has no known form. */
export function parseSizeName(size: string): SizeName | undefined {
  const groups = GRAMMAR.exec(size)?.groups
  if (groups === undefined) return undefined
  const { family = '', subfamily = '', cpus, features = '', version, constrained } = groups
  const series = `${family}${subfamily}${features}${version === undefined ? '' : `_${version}`}`
  const accelerator = groups['accelerator'] ?? ownValue(ACCELERATOR_OF_SERIES, series)
  return defined({
    family,
    subfamily,
    cpus: Number(cpus),
    constrainedCpus: constrained === undefined ? undefined : Number(constrained),
    features,
    accelerator,
    isConfidentialChild: groups['cc'] !== undefined,
    version,
    isPromo: groups['promo'] !== undefined,
    series,
  })
}

/** The digits of the version; `1` for a size without one. */
export function versionLabel(name: SizeName): string {
  return name.version === undefined ? '1' : name.version.slice(1)
}
