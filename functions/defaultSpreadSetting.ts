import { parseDocument } from 'yaml'
import * as z from 'zod'
import { oneLine } from '../shared/base/text.ts'
import { defined } from '../shared/base/values.ts'
import type { DefaultSpread } from '../shared/model/clusterSnapshot.ts'
import { isQualifiedName } from '../shared/model/labels.ts'
import { KUBE_YAML } from '../shared/wire/kube/kubeYaml.ts'

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

/** Parses YAML, of which JSON is a part. */
const yaml = z.string().transform((text, context): unknown => {
  const document = parseDocument(text, KUBE_YAML)
  const [error] = document.errors
  if (error === undefined) return document.toJS()
  context.addIssue({ code: 'custom', message: `is neither YAML nor JSON: ${oneLine(error.message)}` })
  return z.NEVER
})

/** `defaultConstraints` of the scheduler's PodTopologySpread plugin. */
export const defaultSpreadSetting = yaml.pipe(constraints).transform((all): readonly DefaultSpread[] => all.map(defined))

/** The scheduler configuration that Karpenter reads. Its default constraints are read as `defaultSpreadSetting` reads them. */
export const schedulerConfigSetting = yaml
  .pipe(
    z.strictObject({
      podTopologySpread: z.strictObject({ defaultConstraints: constraints.default([]) }).default({ defaultConstraints: [] }),
    }),
  )
  .transform(({ podTopologySpread }): readonly DefaultSpread[] => podTopologySpread.defaultConstraints.map(defined))
