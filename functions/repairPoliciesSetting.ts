import * as z from 'zod'
import { defined } from '../shared/base/values.ts'
import type { RepairPolicy } from '../shared/model/repairPolicy.ts'
import { parseDuration } from '../shared/model/time.ts'
import { parseJson } from '../shared/wire/version.ts'

/**
 * What Go's patterns have no form for, and repeats of groups: matching them can take time without a bound, and agents on nodes write the reasons that
 * are matched.
 */
const UNBOUNDED = /\\[1-9k]|\(\?(?:[=!]|<[=!])|\)[*+{]/

const duration = z.string().transform((text, context) => {
  const parsed = parseDuration(text)
  if (parsed.ok) return parsed.value
  context.addIssue({ code: 'custom', message: 'must be a duration that is not negative, such as 10m' })
  return z.NEVER
})

/** A policy with the names of Karpenter's RepairPolicy. An empty pattern is none. */
const policy = z.strictObject({
  conditionType: z.string().min(1, 'must not be empty'),
  conditionStatus: z.enum(['True', 'False', 'Unknown']),
  reasonRegex: z
    .string()
    .max(256)
    .refine(compiles, 'must be a regular expression')
    .refine((text) => !UNBOUNDED.test(text), 'must have no back-references, no look around, and no repeated groups')
    .transform((text) => (text === '' ? undefined : text))
    .optional(),
  tolerationDuration: duration,
  terminationGracePeriod: duration.optional(),
  priority: z.int().min(0).max(100).default(0),
  action: z.enum(['ReplaceNode', 'RebootNode']),
})

/** Repair policies, as JSON. All that is wrong is told, each with the index of the policy and the policy itself. */
export const repairPoliciesSetting = z
  .string()
  .transform((text, context): unknown => {
    const parsed = parseJson(text, 'the list of repair policies')
    if (parsed.ok) return parsed.value
    context.addIssue({ code: 'custom', message: parsed.error.message })
    return z.NEVER
  })
  .pipe(z.array(z.unknown()))
  .transform((all, context): readonly RepairPolicy[] => {
    const policies = all.flatMap((each, index): readonly RepairPolicy[] => {
      const read = policy.safeParse(each)
      if (read.success) return [defined(read.data)]
      for (const { path, message } of read.error.issues)
        context.addIssue({ code: 'custom', path: [index, ...path], message: `${message}, in ${JSON.stringify(each)}` })
      return []
    })
    for (const message of setProblems(all, policies)) context.addIssue({ code: 'custom', message })
    return policies
  })

/** What is wrong with the set as a whole. The rest of a set with broken policies is not judged. */
function setProblems(all: readonly unknown[], policies: readonly RepairPolicy[]): readonly string[] {
  if (policies.length < all.length) return []
  const fallbacks = policies.flatMap((each, index) => (each.reasonRegex === undefined ? [{ each, index }] : []))
  const named = fallbacks.map(({ each, index }) => `${index}: ${JSON.stringify(each)}`).join('; ')
  if (fallbacks.length !== 1) return [`must have exactly one policy without reasonRegex, the default fallback${named && `, not ${named}`}`]
  return fallbacks[0]?.each.action === 'ReplaceNode' ? [] : [`the default fallback must have the action ReplaceNode; it is ${named}`]
}

function compiles(text: string): boolean {
  try {
    return new RegExp(text) instanceof RegExp
  } catch {
    return false
  }
}
