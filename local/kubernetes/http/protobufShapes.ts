/** The meaning of a field number of a protobuf message. A `pointer` is written even if it is zero. */
export type ProtoField =
  | {
      readonly name: string
      readonly type: 'text' | 'bytes' | 'int' | 'bool' | 'time' | 'intOrString'
      readonly pointer?: true
      readonly list?: true
    }
  | { readonly name: string; readonly type: 'message'; readonly shape: ProtoShape; readonly list?: true }
  | { readonly name: string; readonly type: 'map'; readonly values: 'text' | 'bytes' | 'quantity' }

export interface ProtoShape {
  readonly [field: number]: ProtoField
}

const text = (name: string): ProtoField => ({ name, type: 'text' })
const texts = (name: string): ProtoField => ({ name, type: 'text', list: true })
const flag = (name: string): ProtoField => ({ name, type: 'bool' })
const number = (name: string): ProtoField => ({ name, type: 'int', pointer: true })
const plainNumber = (name: string): ProtoField => ({ name, type: 'int' })
const map = (name: string): ProtoField => ({ name, type: 'map', values: 'text' })
const message = (name: string, shape: ProtoShape): ProtoField => ({ name, type: 'message', shape })
const messages = (name: string, shape: ProtoShape): ProtoField => ({ name, type: 'message', shape, list: true })

const meta: ProtoShape = {
  1: text('name'),
  2: text('generateName'),
  3: text('namespace'),
  5: text('uid'),
  6: text('resourceVersion'),
  8: { name: 'creationTimestamp', type: 'time' },
  11: map('labels'),
  12: map('annotations'),
  14: texts('finalizers'),
}

const deleteOptions: ProtoShape = {
  1: number('gracePeriodSeconds'),
  2: message('preconditions', { 1: text('uid'), 2: text('resourceVersion') }),
  3: { name: 'orphanDependents', type: 'bool', pointer: true },
  4: text('propagationPolicy'),
  5: texts('dryRun'),
}

const selector: ProtoShape = {
  1: map('matchLabels'),
  2: messages('matchExpressions', { 1: text('key'), 2: text('operator'), 3: texts('values') }),
}

const container: ProtoShape = {
  1: text('name'),
  2: text('image'),
  3: texts('command'),
  4: texts('args'),
  6: messages('ports', { 1: text('name'), 2: plainNumber('hostPort'), 3: plainNumber('containerPort'), 4: text('protocol') }),
  7: messages('env', { 1: text('name'), 2: text('value') }),
  8: message('resources', {
    1: { name: 'limits', type: 'map', values: 'quantity' },
    2: { name: 'requests', type: 'map', values: 'quantity' },
  }),
}

const template: ProtoShape = {
  1: message('metadata', meta),
  2: message('spec', {
    2: messages('containers', container),
    3: text('restartPolicy'),
    4: number('terminationGracePeriodSeconds'),
    7: map('nodeSelector'),
  }),
}

const deployment: ProtoShape = {
  1: message('metadata', meta),
  2: message('spec', {
    1: number('replicas'),
    2: message('selector', selector),
    3: message('template', template),
    4: message('strategy', { 1: text('type') }),
  }),
  3: message('status', {}),
}

const job: ProtoShape = {
  1: message('metadata', meta),
  2: message('spec', { 1: number('parallelism'), 2: number('completions'), 6: message('template', template), 7: number('backoffLimit') }),
  3: message('status', {}),
}

const budget: ProtoShape = {
  1: message('metadata', meta),
  2: message('spec', {
    1: { name: 'minAvailable', type: 'intOrString' },
    2: message('selector', selector),
    3: { name: 'maxUnavailable', type: 'intOrString' },
  }),
  3: message('status', {}),
}

const attributes: ProtoShape = {
  1: text('namespace'),
  2: text('verb'),
  3: text('group'),
  4: text('version'),
  5: text('resource'),
  6: text('subresource'),
  7: text('name'),
}

const verdict: ProtoShape = { 1: flag('allowed'), 2: text('reason'), 3: text('evaluationError'), 4: flag('denied') }

const REVIEWS: { readonly [kind: string]: ProtoShape } = {
  'authorization.k8s.io/v1 SelfSubjectAccessReview': {
    1: message('metadata', meta),
    2: message('spec', {
      1: message('resourceAttributes', attributes),
      2: message('nonResourceAttributes', { 1: text('path'), 2: text('verb') }),
    }),
    3: message('status', verdict),
  },
  'authorization.k8s.io/v1 SelfSubjectRulesReview': {
    1: message('metadata', meta),
    2: message('spec', { 1: text('namespace') }),
    3: message('status', { 3: flag('incomplete'), 4: text('evaluationError') }),
  },
  'authentication.k8s.io/v1 SelfSubjectReview': { 1: message('metadata', meta), 2: message('status', { 1: message('userInfo', {}) }) },
}

/** The kinds that common commands of kubectl send in protobuf: `create` with flags, `drain`, and `auth`. */
export const PROTO_KINDS: { readonly [kind: string]: ProtoShape } = {
  'v1 DeleteOptions': deleteOptions,
  'meta.k8s.io/v1 DeleteOptions': deleteOptions,
  'policy/v1 DeleteOptions': deleteOptions,
  'policy/v1 Eviction': { 1: message('metadata', meta), 2: message('deleteOptions', deleteOptions) },
  'v1 Namespace': { 1: message('metadata', meta), 2: message('spec', {}), 3: message('status', {}) },
  'v1 ServiceAccount': { 1: message('metadata', meta) },
  'v1 ConfigMap': { 1: message('metadata', meta), 2: map('data'), 3: { name: 'binaryData', type: 'map', values: 'bytes' } },
  'v1 Secret': { 1: message('metadata', meta), 2: { name: 'data', type: 'map', values: 'bytes' }, 3: text('type'), 4: map('stringData') },
  'apps/v1 Deployment': deployment,
  'batch/v1 Job': job,
  'policy/v1 PodDisruptionBudget': budget,
  ...REVIEWS,
  'scheduling.k8s.io/v1 PriorityClass': {
    1: message('metadata', meta),
    2: plainNumber('value'),
    3: flag('globalDefault'),
    4: text('description'),
    5: text('preemptionPolicy'),
  },
}
