import * as z from 'zod'
import { defined } from '../shared/base/values.ts'
import type { DefaultSpread } from '../shared/model/clusterSnapshot.ts'
import { isQualifiedName } from '../shared/model/labels.ts'
import { parseJson } from '../shared/wire/version.ts'

const policy = z.enum(['Honor', 'Ignore'])

/** One constraint, as in the scheduler's configuration. It has no selector, since the selector follows from the pod. */
const constraint = z.strictObject({
  maxSkew: z.int().min(1),
  topologyKey: z.string().refine(isQualifiedName, 'must be a label key'),
  whenUnsatisfiable: z.enum(['DoNotSchedule', 'ScheduleAnyway']),
  minDomains: z.int().min(1).optional(),
  nodeAffinityPolicy: policy.default('Honor'),
  nodeTaintsPolicy: policy.default('Ignore'),
})

const constraints = z.array(constraint).superRefine((all, context) => {
  const seen = new Set<string>()
  for (const [index, { topologyKey, whenUnsatisfiable, minDomains }] of all.entries()) {
    const text = `${topologyKey} ${whenUnsatisfiable}`
    if (seen.has(text)) context.addIssue({ code: 'custom', path: [index], message: `repeats ${text}` })
    seen.add(text)
    if (minDomains !== undefined && whenUnsatisfiable !== 'DoNotSchedule') {
      context.addIssue({ code: 'custom', path: [index, 'minDomains'], message: 'is allowed with whenUnsatisfiable DoNotSchedule only' })
    }
  }
})

/** `defaultConstraints` of the scheduler's PodTopologySpread plugin, as JSON. */
export const defaultSpreadSetting = z
  .string()
  .transform((text, context): unknown => {
    const parsed = parseJson(text, 'the list of constraints')
    if (parsed.ok) return parsed.value
    context.addIssue({ code: 'custom', message: parsed.error.message })
    return z.NEVER
  })
  .pipe(constraints)
  .transform((all): readonly DefaultSpread[] => all.map(defined))
