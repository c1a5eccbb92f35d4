import { asText, isObject, type Json, type JsonObject, listAt, objectAt, sameJson, textAt } from '../object/json.ts'
import { finalizersOf, isDeleting, type KubeObject, withMember, withMeta } from '../object/kubeObject.ts'
import { duplicate, type FieldError, forbiddenField, invalid, notSupported, required } from '../schema/fieldError.ts'
import { labelValueProblem, qualifiedNameProblem } from './nameRules.ts'
import type { Strategy } from './resource.ts'
import { withStatus } from './workloadStrategies.ts'

/** Stores objects as written. */
export const plainStrategy: Strategy = {}

const LASTING = new Set(['default', 'kube-system', 'kube-public'])

export const namespaceStrategy: Strategy = {
  nameRule: 'label',
  defaults: (object) => {
    const name = object.metadata.name ?? ''
    return withMeta(object, { labels: { ...object.metadata.labels, 'kubernetes.io/metadata.name': name } })
  },
  prepareForCreate: (object) => ({
    ...object,
    spec: { finalizers: [...new Set(['kubernetes', ...listAt(object, 'spec', 'finalizers')])] },
    status: { phase: 'Active' },
  }),
  prepareForUpdate: (next, previous) => ({ ...next, spec: previous['spec'], status: previous['status'] }),
  prepareForStatus: (next, previous) => withMember(next, 'spec', previous['spec']),
  keptBecause: (object) => (LASTING.has(object.metadata.name ?? '') ? 'this namespace may not be deleted' : undefined),
}

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute']

/** A node keeps the status with which its kubelet registers it. Later, only the status subresource changes the status. */
export const nodeStrategy: Strategy = {
  keepsStatusAtCreate: true,
  prepareForCreate: keepOffUntilReady,
  prepareForUpdate: (next, previous) => withMember(next, 'status', previous['status']),
  prepareForStatus: (next, previous) => withMember(next, 'spec', previous['spec']),
  defaults: (object) => withMember(object, 'spec', objectAt(object, 'spec')),
  validate: (object, previous) => [
    ...validateTaints(listAt(object, 'spec', 'taints')),
    ...(previous === undefined ? [] : frozenOnce(object, previous, 'providerID')),
  ],
}

const NOT_READY = 'node.kubernetes.io/not-ready'

/** Adds a taint that keeps pods away until the node controller has seen the node ready. */
function keepOffUntilReady(node: KubeObject): KubeObject {
  const taints = listAt(node, 'spec', 'taints')
  if (taints.some((taint) => textAt(taint, 'key') === NOT_READY && textAt(taint, 'effect') === 'NoSchedule')) return node
  return withMember(node, 'spec', { ...objectAt(node, 'spec'), taints: [...taints, { key: NOT_READY, effect: 'NoSchedule' }] })
}

function validateTaints(taints: readonly Json[]): FieldError[] {
  const seen = new Set<string>()
  return taints.flatMap((taint, index) => {
    const path = `metadata.taints[${index}]`
    const key = textAt(taint, 'key')
    const effect = textAt(taint, 'effect')
    const problem = key === '' ? undefined : qualifiedNameProblem(key)
    const value = labelValueProblem(textAt(taint, 'value'))
    const errors: FieldError[] = []
    if (key === '') errors.push(required(`${path}.key`))
    if (problem) errors.push(invalid(`${path}.key`, key, problem))
    if (value) errors.push(invalid(`${path}.value`, textAt(taint, 'value'), value))
    if (effect === '') errors.push(required(`${path}.effect`))
    else if (!EFFECTS.includes(effect)) errors.push(notSupported(`${path}.effect`, effect, EFFECTS))
    if (seen.has(`${key}/${effect}`))
      errors.push({
        ...duplicate(path, taint),
        body: `Duplicate value: ${JSON.stringify(taint)}: taints must be unique by key and effect pair`,
      })
    seen.add(`${key}/${effect}`)
    return errors
  })
}

function frozenOnce(object: KubeObject, previous: KubeObject, member: string): FieldError[] {
  const before = textAt(previous, 'spec', member)
  if (before === '' || before === textAt(object, 'spec', member)) return []
  return [forbiddenField(`spec.${member}`, 'node updates may not change providerID except from "" to valid')]
}

/** Kubernetes keeps base64 in `data`. `stringData` is for the convenience of writers and is never returned. */
export const secretStrategy: Strategy = {
  defaults: (object) => {
    const texts = objectAt(object, 'stringData')
    const encoded = Object.fromEntries(Object.entries(texts).map(([key, value]) => [key, Buffer.from(asText(value)).toString('base64')]))
    const type = textAt(object, 'type') || 'Opaque'
    const { stringData: _dropped, ...rest } = object
    const data = { ...objectAt(object, 'data'), ...encoded }
    return {
      ...rest,
      apiVersion: object.apiVersion,
      kind: object.kind,
      metadata: object.metadata,
      ...(Object.keys(data).length > 0 ? { data } : {}),
      type,
    }
  },
  validate: (object, previous) => [...frozenData(object, previous), ...frozenType(object, previous)],
}

export const configMapStrategy: Strategy = { validate: (object, previous) => frozenData(object, previous) }

function frozenData(object: KubeObject, previous: KubeObject | undefined): FieldError[] {
  if (previous?.['immutable'] !== true) return []
  const same = sameJson(objectAt(object, 'data'), objectAt(previous, 'data')) && object['immutable'] === true
  return same ? [] : [forbiddenField('data', 'field is immutable when `immutable` is set')]
}

function frozenType(object: KubeObject, previous: KubeObject | undefined): FieldError[] {
  if (previous === undefined || object['type'] === previous['type']) return []
  return [invalid('type', object['type'], 'field is immutable')]
}

export const serviceStrategy: Strategy = {
  ...withStatus,
  nameRule: 'label',
  prepareForCreate: (object) => withMember(object, 'status', { loadBalancer: {} }),
  defaults: (object) => ({
    ...object,
    spec: {
      type: 'ClusterIP',
      sessionAffinity: 'None',
      internalTrafficPolicy: 'Cluster',
      ...objectAt(object, 'spec'),
      ports: listAt(object, 'spec', 'ports').map(defaultServicePort),
    },
  }),
}

function defaultServicePort(port: Json): Json {
  return isObject(port) ? { protocol: 'TCP', targetPort: port['port'], ...port } : port
}

export const volumeStrategy: Strategy = {
  ...withStatus,
  defaults: (object) => ({
    ...object,
    spec: { persistentVolumeReclaimPolicy: 'Retain', volumeMode: 'Filesystem', ...objectAt(object, 'spec') },
  }),
  prepareForCreate: (object) => withMember(object, 'status', { phase: 'Pending' }),
}

const DEFAULT_CLASS = 'storageclass.kubernetes.io/is-default-class'

export const volumeClaimStrategy: Strategy = {
  ...withStatus,
  defaults: (object) => ({ ...object, spec: { volumeMode: 'Filesystem', ...objectAt(object, 'spec') } }),
  prepareForCreate: (object, context) => {
    const spec = objectAt(object, 'spec')
    const chosen = context
      .findAll('storageclasses.storage.k8s.io', '')
      .find((candidate) => candidate.metadata.annotations?.[DEFAULT_CLASS] === 'true')
    const named: JsonObject =
      spec['storageClassName'] === undefined && chosen ? { ...spec, storageClassName: chosen.metadata.name ?? '' } : spec
    return { ...object, spec: named, status: { phase: 'Pending' } }
  },
}

export const storageClassStrategy: Strategy = {
  defaults: (object) => ({
    ...object,
    reclaimPolicy: object['reclaimPolicy'] ?? 'Delete',
    volumeBindingMode: object['volumeBindingMode'] ?? 'Immediate',
  }),
  validate: (object) => (textAt(object, 'provisioner') === '' ? [required('provisioner')] : []),
}

export const leaseStrategy: Strategy = { allowsCreateOnUpdate: true }

export const pathNamed: Strategy = { nameRule: 'path' }

export const signingRequestStrategy: Strategy = {
  ...withStatus,
  prepareForCreate: (object, context) => ({
    ...object,
    spec: { ...objectAt(object, 'spec'), username: context.user.name, uid: context.user.uid, groups: [...context.user.groups] },
    status: {},
  }),
}

/** Reports whether a deleted object may be removed. The last entry of `spec.finalizers` keeps a namespace as a finalizer does. */
export function mayLeave(object: KubeObject): boolean {
  return (
    isDeleting(object) &&
    finalizersOf(object).length === 0 &&
    (object.kind !== 'Namespace' || listAt(object, 'spec', 'finalizers').length === 0)
  )
}
