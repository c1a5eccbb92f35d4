import { asText, at, type Json, type JsonObject, listAt, numberAt, objectAt, sameJson } from '../object/json.ts'
import { type KubeObject, uidOf, withMember } from '../object/kubeObject.ts'
import { type FieldError, invalid, required } from '../schema/fieldError.ts'
import { defaultPodSpec } from './podDefaults.ts'
import { validatePodSpec } from './podRules.ts'
import type { Strategy } from './resource.ts'
import { type Labels, specSelector } from './selectors.ts'

function defaultTemplate(spec: JsonObject): JsonObject {
  const template = objectAt(spec, 'template')
  return {
    ...template,
    metadata: { creationTimestamp: null, ...objectAt(template, 'metadata') },
    spec: defaultPodSpec(objectAt(template, 'spec')),
  }
}

function withSpec(object: KubeObject, defaults: JsonObject, change: (spec: JsonObject) => JsonObject = (spec) => spec): KubeObject {
  const given = Object.fromEntries(Object.entries(objectAt(object, 'spec')).filter(([, value]) => value !== null))
  const spec = { ...defaults, ...given }
  return { ...object, spec: change({ ...spec, template: defaultTemplate(spec) }) }
}

/** Sets the defaults of a rolling update in `member` of the spec: the type if there is none, and the bounds that are missing. */
function withRolling(spec: JsonObject, member: string, bounds: JsonObject): JsonObject {
  const strategy = objectAt(spec, member)
  const type = strategy['type'] ?? 'RollingUpdate'
  if (type !== 'RollingUpdate') return spec
  return { ...spec, [member]: { ...strategy, type, rollingUpdate: { ...bounds, ...objectAt(strategy, 'rollingUpdate') } } }
}

/** A status that only the controller writes. It is dropped at create, and updates of the spec keep it. */
export const withStatus: Strategy = {
  prepareForCreate: (object) => withMember(object, 'status', {}),
  prepareForUpdate: (next, previous) => withMember(next, 'status', previous['status']),
  prepareForStatus: (next, previous) => withMember(next, 'spec', previous['spec']),
}

const workload: Strategy = { ...withStatus, hasGeneration: true, validate: (object, previous) => validateWorkload(object, previous) }

export const deploymentStrategy: Strategy = {
  ...workload,
  defaults: (object) =>
    withSpec(object, { progressDeadlineSeconds: 600, replicas: 1, revisionHistoryLimit: 10 }, (spec) =>
      withRolling(spec, 'strategy', { maxUnavailable: '25%', maxSurge: '25%' }),
    ),
}

export const replicaSetStrategy: Strategy = { ...workload, defaults: (object) => withSpec(object, { replicas: 1 }) }

/** The selector is a map of labels. Default: the labels of the template. */
export const replicationControllerStrategy: Strategy = {
  ...withStatus,
  hasGeneration: true,
  defaults: (object) =>
    withSpec(object, { replicas: 1 }, (spec) => ({ selector: objectAt(spec, 'template', 'metadata', 'labels'), ...spec })),
  validate: (object) => validateReplicated(object, { matchLabels: objectAt(object, 'spec', 'selector') }),
}

export const daemonSetStrategy: Strategy = {
  ...workload,
  defaults: (object) =>
    withSpec(object, { revisionHistoryLimit: 10 }, (spec) => withRolling(spec, 'updateStrategy', { maxUnavailable: 1, maxSurge: 0 })),
}

export const statefulSetStrategy: Strategy = {
  ...workload,
  defaults: (object) =>
    withSpec(
      object,
      {
        replicas: 1,
        revisionHistoryLimit: 10,
        podManagementPolicy: 'OrderedReady',
        persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
      },
      (spec) => withRolling(spec, 'updateStrategy', { partition: 0 }),
    ),
}

export const podTemplateStrategy: Strategy = {
  hasGeneration: true,
  defaults: (object) => ({ ...object, template: defaultTemplate(object) }),
  validate: (object) => validatePodSpec(objectAt(object, 'template', 'spec'), 'template.spec'),
}

/** The pods of a Job are selected by a label with the uid of the Job, unless the Job has a selector of its own. */
export const jobStrategy: Strategy = {
  ...withStatus,
  hasGeneration: true,
  defaults: (object) =>
    withSpec(object, {
      // A Job with parallelism but without completions has a work queue.
      ...((at(object, 'spec', 'parallelism') ?? null) === null ? { completions: 1 } : {}),
      parallelism: 1,
      backoffLimit: 6,
      completionMode: 'NonIndexed',
      suspend: false,
      manualSelector: false,
      podReplacementPolicy: 'TerminatingOrFailed',
    }),
  prepareForCreate: (object) => withMember(labelJob(object), 'status', {}),
  validate: (object, previous) => {
    const policy = at(object, 'spec', 'template', 'spec', 'restartPolicy')
    const errors = validateTemplate(object)
    if (policy !== 'OnFailure' && policy !== 'Never')
      errors.push(required('spec.template.spec.restartPolicy', 'valid values: "OnFailure", "Never"'))
    if (previous) errors.push(...immutable(object, previous, 'selector'), ...immutable(object, previous, 'completions'))
    return errors
  },
}

function labelJob(job: KubeObject): KubeObject {
  if (at(job, 'spec', 'manualSelector') === true) return job
  const spec = objectAt(job, 'spec')
  const uid = uidOf(job)
  const labels = {
    ...objectAt(spec, 'template', 'metadata', 'labels'),
    'batch.kubernetes.io/controller-uid': uid,
    'batch.kubernetes.io/job-name': job.metadata.name ?? '',
    'controller-uid': uid,
    'job-name': job.metadata.name ?? '',
  }
  const template = objectAt(spec, 'template')
  return {
    ...job,
    spec: {
      ...spec,
      selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': uid } },
      template: { ...template, metadata: { ...objectAt(template, 'metadata'), labels } },
    },
  }
}

function validateWorkload(object: KubeObject, previous: KubeObject | undefined): FieldError[] {
  const errors = validateReplicated(object, objectAt(object, 'spec', 'selector'))
  if (previous) errors.push(...immutable(object, previous, 'selector'))
  return errors
}

function validateReplicated(object: KubeObject, selector: JsonObject): FieldError[] {
  const errors = validateTemplate(object)
  const given = at(object, 'spec', 'selector')
  const replicas = numberAt(object, 'spec', 'replicas')
  if (replicas !== undefined && replicas < 0) errors.push(invalid('spec.replicas', replicas, 'must be greater than or equal to 0'))
  if (given === undefined) errors.push(required('spec.selector'))
  else if (sameJson(given, {})) errors.push(invalid('spec.selector', {}, 'empty selector is invalid for deployment'))
  const labels = textMap(objectAt(object, 'spec', 'template', 'metadata', 'labels'))
  if (given !== undefined && !specSelector(selector)(labels))
    errors.push(invalid('spec.template.metadata.labels', labels, '`selector` does not match template `labels`'))
  return errors
}

function textMap(object: JsonObject): { [key: string]: string } & Labels {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, asText(value)]))
}

function validateTemplate(object: KubeObject): FieldError[] {
  return validatePodSpec(objectAt(object, 'spec', 'template', 'spec'), 'spec.template.spec')
}

function immutable(object: KubeObject, previous: KubeObject, member: string): FieldError[] {
  const now: Json | undefined = at(object, 'spec', member)
  return sameJson(now, at(previous, 'spec', member)) ? [] : [invalid(`spec.${member}`, now, 'field is immutable')]
}

/** A PodDisruptionBudget has one of its two bounds, never both. */
export const disruptionBudgetStrategy: Strategy = {
  ...withStatus,
  hasGeneration: true,
  validate: (object) =>
    at(object, 'spec', 'minAvailable') !== undefined && at(object, 'spec', 'maxUnavailable') !== undefined
      ? [invalid('spec', objectAt(object, 'spec'), 'minAvailable and maxUnavailable cannot be both set')]
      : listAt(object, 'spec', 'selector', 'matchExpressions').flatMap((item, index) =>
          at(item, 'key') === undefined ? [required(`spec.selector.matchExpressions[${index}].key`)] : [],
        ),
}
