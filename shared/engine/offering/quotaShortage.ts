import { byText } from '../../base/order.ts'
import type { InstanceType, QuotaShortage } from '../../model/instanceType.ts'
import type { ProblemCode } from '../../model/problem.ts'
import type { Requirements } from '../../model/requirements.ts'
import { admittedOfferings } from './admission.ts'

export type OutOfQuota = {
  readonly code: ProblemCode
  readonly message: string
  readonly fields: { readonly quota: string; readonly region: string; readonly limit: number; readonly used: number }
}

/** The most quotas that a message names. */
const NAMED = 3

/** Why nothing can be bought, if only quota prevents everything that the requirements allow. Undefined if it is not. */
export function outOfQuota(types: readonly InstanceType[], requirements: Requirements): OutOfQuota | undefined {
  if (!types.some(isShort)) return undefined
  const offerings = types.flatMap((type) => admittedOfferings(requirements, type))
  const short = new Map(offerings.flatMap(({ shortOf }) => (shortOf === undefined ? [] : [[shortOf.quota, shortOf] as const])))
  const [first, ...others] = [...short.values()].sort((one, other) => byText(one.quota, other.quota))
  if (first === undefined || offerings.some((each) => each.available || each.shortOf === undefined)) return undefined
  const { code, region, quota, limit, used } = first
  const named = [first, ...others.slice(0, NAMED - 1)].map(inWords).join(', ')
  const more = others.length >= NAMED ? ` and ${others.length - NAMED + 1} more` : ''
  const message = `quota in ${region} leaves no room for any instance type that the nodepool allows: ${named}${more}; raise the quota in Azure, or allow other families or capacity types`
  return { code, message, fields: { quota, region, limit, used } }
}

function isShort({ offerings }: InstanceType): boolean {
  return offerings.some(({ shortOf }) => shortOf !== undefined)
}

function inWords({ quota, limit, used }: QuotaShortage): string {
  return `${quota} has ${used} of ${limit} cores in use`
}
