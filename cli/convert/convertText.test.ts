import { describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { KUBE_YAML } from '../../shared/wire/kube/kubeYaml.ts'
import { convertText } from './convertText.ts'

const GUIDE = `# The NodePool of a guide.
apiVersion: karpenter.sh/v1beta1
kind: NodePool
metadata:
  name: default
spec:
  disruption:
    consolidationPolicy: WhenUnderutilized # the default
    expireAfter: Never
  template:
    spec:
      nodeClassRef:
        name: default
      # What the nodes must be.
      requirements:
        - key: karpenter.azure.com/sku-family
          operator: In
          values: ["N"]
`
const CLASS = 'apiVersion: karpenter.azure.com/v1alpha2\nkind: AKSNodeClass\nmetadata:\n  name: default\nspec:\n  imageFamily: Ubuntu2204\n'
const DEPLOYMENT = '# Not of Karpenter.\nkind: Deployment\napiVersion: apps/v1\nmetadata:\n  name: "on" # quoted\n'

/** A pool with these members of its node, in v1beta1. */
function pool(node: object, { name = 'default', spec = {}, metadata = {} } = {}): string {
  const template = { spec: { nodeClassRef: { name: 'default' }, requirements: [], ...node } }
  return `${JSON.stringify({ apiVersion: 'karpenter.sh/v1beta1', kind: 'NodePool', metadata: { name, ...metadata }, spec: { ...spec, template } })}\n`
}
const claim = (labels: object, spec: object = {}): string =>
  `${JSON.stringify({ apiVersion: 'karpenter.sh/v1beta1', kind: 'NodeClaim', metadata: { name: 'c', labels }, spec: { nodeClassRef: { name: 'default' }, requirements: [], ...spec } })}\n`

const stream = (...documents: readonly string[]): string => documents.join('---\n')
const converted = (text: string): readonly unknown[] => {
  const outcome = convertText(text)
  if (!outcome.ok) throw new Error(outcome.error.join('\n'))
  return parseAllDocuments(outcome.value, KUBE_YAML).map((document): unknown => document.toJS())
}

describe('convertText', () => {
  it('prints the NodePool of a guide in v1, with its comments and the other documents', () => {
    const outcome = convertText(stream(GUIDE, CLASS, DEPLOYMENT))
    expect(outcome).toEqual({
      ok: true,
      value: stream(
        `# The NodePool of a guide.
apiVersion: karpenter.sh/v1
kind: NodePool
metadata:
  name: default
spec:
  disruption:
    consolidationPolicy: WhenEmptyOrUnderutilized # the default
    consolidateAfter: 0s
  template:
    spec:
      nodeClassRef:
        name: default
        group: karpenter.azure.com
        kind: AKSNodeClass
      # What the nodes must be.
      requirements:
        - key: karpenter.azure.com/sku-family
          operator: In
          values: ["N"]
      expireAfter: Never
`,
        CLASS.replace('v1alpha2', 'v1beta1'),
        DEPLOYMENT,
      ),
    })
  })

  it('gives a text without an older version back as it is', () => {
    const text = stream(DEPLOYMENT, 'a:   {b:  1}\n')
    expect(convertText(text)).toEqual({ ok: true, value: text })
  })

  it('keeps the meaning of what is not given: v1 has the same defaults', () => {
    expect(converted(pool({}))).toMatchObject([{ spec: { template: { spec: { nodeClassRef: { group: 'karpenter.azure.com' } } } } }])
    expect(converted(pool({}, { spec: { disruption: {} } }))).toMatchObject([
      {
        spec: {
          disruption: { consolidationPolicy: 'WhenEmptyOrUnderutilized', consolidateAfter: '0s' },
          template: { spec: { expireAfter: '720h' } },
        },
      },
    ])
    const empty = { consolidationPolicy: 'WhenEmpty', consolidateAfter: '30s' }
    expect(converted(pool({}, { spec: { disruption: empty } }))).toMatchObject([{ spec: { disruption: empty } }])
    const never = { consolidateAfter: 'Never' }
    expect(converted(pool({}, { spec: { disruption: never } }))).toMatchObject([{ spec: { disruption: never } }])
  })

  it('moves the settings of the kubelet into the class', () => {
    const kubelet = { maxPods: 50, cpuCFSQuota: false, imageGCHighThresholdPercent: 80 }
    const [first, second] = converted(stream(pool({ kubelet }), CLASS))
    expect(first).not.toHaveProperty('spec.template.spec.kubelet')
    expect(second).toMatchObject({ spec: { maxPods: 50, kubelet: { cpuCFSQuota: false, imageGCHighThresholdPercent: 80 } } })
  })

  it('gives a NodeClaim the age limit of its NodePool', () => {
    const spec = { disruption: { expireAfter: '48h' } }
    const ofPool = claim({ 'karpenter.sh/nodepool': 'default' })
    expect(converted(stream(ofPool, pool({}, { spec })))[0]).toMatchObject({ apiVersion: 'karpenter.sh/v1', spec: { expireAfter: '48h' } })
    expect(converted(claim({}))[0]).toMatchObject({ spec: { expireAfter: 'Never' } })
  })

  it('reads a List as kubectl prints it, and leaves out what the server writes', () => {
    const metadata = {
      uid: 'u',
      resourceVersion: '1',
      generation: 2,
      annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{}', a: 'b' },
    }
    const item = { ...JSON.parse(pool({}, { metadata })), status: { resources: {} } }
    const [list] = converted(JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [item] }))
    expect(list).toMatchObject({
      kind: 'List',
      items: [{ apiVersion: 'karpenter.sh/v1', metadata: { name: 'default', annotations: { a: 'b' } } }],
    })
    expect(list).not.toHaveProperty('items.0.metadata.uid')
    expect(list).not.toHaveProperty('items.0.metadata.annotations.kubectl.kubernetes.io/last-applied-configuration')
    expect(list).not.toHaveProperty('items.0.status')
  })

  it('writes aliases out, since a change at one place is no change at the other', () => {
    const text = `${pool({})}---\nfirst: &a {name: default}\nsecond: *a\n`
    expect(converted(text)[1]).toEqual({ first: { name: 'default' }, second: { name: 'default' } })
  })

  it.each([
    [
      'kubelet settings that AKS decides',
      pool({ kubelet: { evictionHard: {} } }),
      'nodepool/default: spec.template.spec.kubelet.evictionHard: has no form in v1',
    ],
    [
      'kubelet settings without their class',
      pool({ kubelet: { maxPods: 50 } }),
      'nodepool/default: spec.template.spec.kubelet: in v1 it belongs to aksnodeclass/default: add',
    ],
    [
      'kubelet settings that the class has otherwise',
      stream(pool({ kubelet: { maxPods: 50 } }), `${CLASS}  maxPods: 60\n`),
      'nodepool/default: spec.template.spec.kubelet.maxPods: is 50, but aksnodeclass/default has spec.maxPods 60',
    ],
    [
      'two pools of one class with other kubelet settings',
      stream(pool({ kubelet: { maxPods: 50 } }), pool({}, { name: 'b' }), CLASS),
      'nodepool/default: spec.template.spec.kubelet: in v1 it belongs to aksnodeclass/default, which nodepool/b uses with other settings',
    ],
    [
      'a limit that the class does not take',
      stream(pool({ kubelet: { maxPods: 5 } }), CLASS),
      'aksnodeclass/default: spec.maxPods: Too small',
    ],
    [
      'thresholds that do not fit together',
      stream(pool({ kubelet: { imageGCHighThresholdPercent: 70 } }), `${CLASS}  kubelet: {imageGCLowThresholdPercent: 80}\n`),
      'aksnodeclass/default: spec.kubelet.imageGCHighThresholdPercent: 70 must be above',
    ],
    [
      'requests of a template',
      pool({ resources: { requests: { cpu: 1 } } }),
      'nodepool/default: spec.template.spec.resources: has no form in v1',
    ],
    [
      'a field that nobody knows',
      pool({ containerRuntime: 'x' }),
      'nodepool/default: spec.template.spec.containerRuntime: v1beta1 has no such field',
    ],
    [
      'a class of another cloud',
      pool({ nodeClassRef: { kind: 'EC2NodeClass', name: 'a' } }),
      'nodepool/default: spec.template.spec.nodeClassRef.kind: must be',
    ],
    [
      'a group of another cloud',
      pool({ nodeClassRef: { apiVersion: 'karpenter.k8s.aws/v1beta1', name: 'a' } }),
      'nodepool/default: spec.template.spec.nodeClassRef.apiVersion: must be of the group',
    ],
    [
      'a restricted label',
      pool({ requirements: [{ key: 'agentpool', operator: 'Exists' }] }),
      'nodepool/default: spec.template.spec.requirements[0].key: the labels',
    ],
    [
      'a duration that v1 does not read',
      pool({}, { spec: { disruption: { expireAfter: '720hours' } } }),
      'nodepool/default: spec.template.spec.expireAfter: Invalid string',
    ],
    [
      'a NodeClaim without its NodePool',
      claim({ 'karpenter.sh/nodepool': 'a' }),
      'nodeclaim/c: metadata.labels["karpenter.sh/nodepool"]: in v1 the NodeClaim itself',
    ],
    [
      'a Provisioner',
      'apiVersion: karpenter.sh/v1alpha5\nkind: Provisioner\nmetadata: {name: p}\n',
      'provisioner/p: kind: Provisioners have no v1 form: write a NodePool',
    ],
    [
      'a version that nobody knows',
      GUIDE.replace('v1beta1', 'v2'),
      'nodepool/default: apiVersion: karpenter.sh/v2 is not a known version of NodePool',
    ],
    ['a field of an older class', `${CLASS}  imageVersion: "1"\n`, 'aksnodeclass/default: spec.imageVersion: v1beta1 has no such field'],
    ['no document', '', 'the input has no YAML document'],
    ['broken YAML', 'a: [', 'Flow sequence in block collection must be sufficiently indented'],
  ])('refuses %s', (_, text, want) => {
    const outcome = convertText(text)
    expect(outcome.ok ? [outcome.value] : outcome.error).toEqual(expect.arrayContaining([expect.stringContaining(want)]))
    expect(outcome.ok).toBe(false)
  })
})
