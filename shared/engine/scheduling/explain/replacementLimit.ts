/** Whether the limits of a NodePool leave room for a machine that replaces another one. */
import type { NodePool } from '../../../model/nodePool.ts'
import { NO_RESOURCES, type Resources, subtract } from '../../../model/resources.ts'
import { overLimit } from '../decision/roomVerdicts.ts'
import type { Verdict } from '../decision/verdict.ts'
import { isWithin, limitsOf, type Usage } from '../model/catalog/limits.ts'
import type { PoolOffering } from './cheaper.ts'

/**
 * What the limits of the NodePool leave once the machine of this usage is gone. `used`: what all machines of the NodePool take. Undefined if the
 * NodePool has no limits.
 */
export function leftWithout(pool: NodePool, used: Resources, own: Usage | undefined): Resources | undefined {
  return limitsOf(pool, subtract(used, own?.capacity ?? NO_RESOURCES)).left
}

/** The limit that a machine of the instance type would exceed. `left`: what the limits leave once the machine that it replaces is gone. */
export function replacementLimit({ template, index }: PoolOffering, left: Resources | undefined): Verdict | undefined {
  const size = template.sizes[index]
  if (size === undefined || isWithin(size.type.capacity, left)) return undefined
  const verdict = overLimit([size], { limits: { left } })
  return verdict.kind === 'limit' ? { ...verdict, isReplacement: true } : verdict
}
