import { ownValue } from '../../../shared/base/values.ts'
import { at, type Json, type JsonObject, listAt, numberAt, objectAt, sameJson, textAt } from '../object/json.ts'
import { type KubeObject, withMember, withMeta } from '../object/kubeObject.ts'
import { type FieldError, forbiddenField } from '../schema/fieldError.ts'
import { defaultPodSpec } from './podDefaults.ts'
import { validatePodSpec } from './podRules.ts'
import { qosClassOf } from './qosClass.ts'
import type { Strategy, WriteContext } from './resource.ts'

export const podStrategy: Strategy = {
  hasGeneration: true,
  defaults: (pod) => ({ ...pod, spec: defaultPodSpec(objectAt(pod, 'spec')) }),
  prepareForCreate: (pod, context) => {
    const spec = admit(objectAt(pod, 'spec'), context)
    return withMeta({ ...pod, spec, status: { phase: 'Pending', qosClass: qosClassOf(spec) } }, { generation: 1 })
  },
  prepareForUpdate: (next, previous) => withMember(next, 'status', previous['status']),
  prepareForStatus: (next, previous) => ({ ...next, spec: previous['spec'], status: keepQuality(next, previous) }),
  validate: (pod, previous) => [
    ...validatePodSpec(objectAt(pod, 'spec'), 'spec'),
    ...(previous === undefined ? [] : validateUpdate(pod, previous)),
  ],
  graceSeconds: (pod, asked) => {
    const phase = textAt(pod, 'status', 'phase')
    if (textAt(pod, 'spec', 'nodeName') === '' || phase === 'Succeeded' || phase === 'Failed') return 0
    return asked ?? numberAt(pod, 'spec', 'terminationGracePeriodSeconds') ?? 30
  },
}

function keepQuality(next: KubeObject, previous: KubeObject): JsonObject {
  return { qosClass: at(previous, 'status', 'qosClass'), ...objectAt(next, 'status') }
}

/** Adds what the admission plugins of a usual cluster add: service account, default tolerations, the priority of the class. */
function admit(spec: JsonObject, context: WriteContext): JsonObject {
  const account = textAt(spec, 'serviceAccountName') || 'default'
  return {
    ...spec,
    serviceAccountName: account,
    serviceAccount: account,
    enableServiceLinks: spec['enableServiceLinks'] ?? true,
    preemptionPolicy: spec['preemptionPolicy'] ?? 'PreemptLowerPriority',
    ...priority(spec, context),
    tolerations: tolerations(listAt(spec, 'tolerations')),
  }
}

const SYSTEM_CLASSES: { readonly [name: string]: number } = { 'system-cluster-critical': 2000000000, 'system-node-critical': 2000001000 }

function priority(spec: JsonObject, context: WriteContext): JsonObject {
  const name = textAt(spec, 'priorityClassName')
  const found =
    name === ''
      ? context.findAll('priorityclasses.scheduling.k8s.io', '').find((candidate) => candidate['globalDefault'] === true)
      : context.find('priorityclasses.scheduling.k8s.io', '', name)
  if (found) {
    const policy = textAt(found, 'preemptionPolicy')
    return {
      priority: numberAt(found, 'value') ?? 0,
      priorityClassName: found.metadata.name,
      ...(policy === '' ? {} : { preemptionPolicy: policy }),
    }
  }
  return { priority: ownValue(SYSTEM_CLASSES, name) ?? 0 }
}

const NODE_TROUBLE = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable']

function tolerations(given: readonly Json[]): readonly Json[] {
  const added = NODE_TROUBLE.filter((key) => !given.some((toleration) => toleratesNoExecute(toleration, key))).map((key) => ({
    key,
    operator: 'Exists',
    effect: 'NoExecute',
    tolerationSeconds: 300,
  }))
  return [...given, ...added]
}

function toleratesNoExecute(toleration: Json, key: string): boolean {
  const effect = textAt(toleration, 'effect')
  const named = textAt(toleration, 'key')
  return (effect === '' || effect === 'NoExecute') && (named === key || (named === '' && textAt(toleration, 'operator') === 'Exists'))
}

const CHANGEABLE = new Set(['activeDeadlineSeconds', 'tolerations', 'terminationGracePeriodSeconds', 'containers', 'initContainers'])
const MAY_CHANGE =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,' +
  '`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)'

function validateUpdate(pod: KubeObject, previous: KubeObject): FieldError[] {
  const next = objectAt(pod, 'spec')
  const before = objectAt(previous, 'spec')
  const gated = listAt(before, 'schedulingGates').length > 0
  const changed = [...new Set([...Object.keys(next), ...Object.keys(before)])].filter(
    (member) => !sameJson(ownValue(next, member), ownValue(before, member)),
  )
  const frozen = changed.some((member) => {
    if (member === 'schedulingGates') return !fewerGates(next, before)
    if (gated && (member === 'nodeSelector' || member === 'affinity')) return false
    if (member === 'containers' || member === 'initContainers') return !onlyImagesDiffer(listAt(next, member), listAt(before, member))
    if (member === 'tolerations')
      return !listAt(before, member).every((old) => listAt(next, member).some((kept) => sameToleration(kept, old)))
    return !CHANGEABLE.has(member)
  })
  return frozen ? [forbiddenField('spec', MAY_CHANGE)] : []
}

function fewerGates(next: JsonObject, before: JsonObject): boolean {
  return listAt(next, 'schedulingGates').every((gate) => listAt(before, 'schedulingGates').some((old) => sameJson(old, gate)))
}

function onlyImagesDiffer(next: readonly Json[], before: readonly Json[]): boolean {
  const strip = (container: Json): JsonObject => ({ ...objectAt({ container }, 'container'), image: '', resources: {} })
  return next.length === before.length && next.every((container, index) => sameJson(strip(container), strip(before[index] ?? null)))
}

function sameToleration(first: Json, second: Json): boolean {
  const strip = (toleration: Json): JsonObject => ({ ...objectAt({ toleration }, 'toleration'), tolerationSeconds: null })
  return sameJson(strip(first), strip(second))
}
