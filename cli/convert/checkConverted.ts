/** What the v1 definitions refuse in a converted object. Rules that v1beta1 has as well are left to the API server. */

import type * as z from 'zod'
import { ownValue } from '../../shared/base/values.ts'
import { isObject } from '../../shared/wire/codec.ts'
import { restrictionOf } from '../../shared/wire/schema/labelRules.ts'
import { nodeClaimSchema } from '../../shared/wire/schema/nodeClaimSchema.ts'
import { nodeClassSchema } from '../../shared/wire/schema/nodeClassSchema.ts'
import { nodePoolSchema } from '../../shared/wire/schema/nodePoolSchema.ts'
import { type Path, refusal, type Target, valueAt } from './target.ts'

const SCHEMAS: { readonly [kind: string]: z.ZodType } = {
  NodePool: nodePoolSchema,
  NodeClaim: nodeClaimSchema,
  AKSNodeClass: nodeClassSchema,
}

export function checkConverted(target: Target): readonly string[] {
  const outcome = ownValue(SCHEMAS, target.kind)?.safeParse(valueAt(target))
  const issues = outcome?.error?.issues ?? []
  return [
    ...issues.map(({ path, message }) =>
      refusal(
        target,
        path.map((step) => (typeof step === 'number' ? step : String(step))),
        message,
      ),
    ),
    ...negativeLimitsOf(target),
    ...labelsOf(target).flatMap(({ key, field }) => {
      const why = restrictionOf(key, target.kind === 'NodePool' ? 'pool' : 'claim')
      return why === undefined ? [] : [refusal(target, field, why)]
    }),
  ]
}

/** v1beta1 takes negative limits. */
function negativeLimitsOf(target: Target): readonly string[] {
  const limits = target.kind === 'NodePool' ? valueAt(target, 'spec', 'limits') : undefined
  return Object.entries(isObject(limits) ? limits : {}).flatMap(([name, amount]) =>
    String(amount).startsWith('-') ? [refusal(target, ['spec', 'limits', name], 'an amount cannot be negative')] : [],
  )
}

/** The labels that the object sets or requires. */
function labelsOf(target: Target): readonly { readonly key: string; readonly field: Path | string }[] {
  if (target.kind === 'AKSNodeClass') return []
  const node: Path = target.kind === 'NodePool' ? ['spec', 'template', 'spec'] : ['spec']
  const requirements = valueAt(target, ...node, 'requirements')
  const required = (Array.isArray(requirements) ? requirements : []).flatMap((each: unknown, index) =>
    isObject(each) && typeof each['key'] === 'string' ? [{ key: each['key'], field: [...node, 'requirements', index, 'key'] }] : [],
  )
  const labels = target.kind === 'NodePool' ? valueAt(target, 'spec', 'template', 'metadata', 'labels') : undefined
  const set = Object.keys(isObject(labels) ? labels : {}).map((key) => ({ key, field: `spec.template.metadata.labels["${key}"]` }))
  return [...required, ...set]
}
