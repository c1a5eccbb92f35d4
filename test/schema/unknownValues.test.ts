import { describe, expect, it } from 'vitest'
import { fleetSnapshotOf } from '../../shared/engine/cluster/fleet.ts'
import { allowanceOf } from '../../shared/engine/disruption/budgets/budgets.ts'
import { quietAt } from '../../shared/engine/disruption/candidates/candidate.ts'
import { stepLaunch } from '../../shared/engine/lifecycle/launch.ts'
import { driftOf, originOf, restamped } from '../../shared/engine/markers/driftOf.ts'
import { overlaidTypes } from '../../shared/engine/overlay/overlaidTypes.ts'
import { decideProvisioning } from '../../shared/engine/scheduling/planningState.ts'
import { withStatus } from '../../shared/engine/status/decideStatus.ts'
import type { ObjectByKind, ObjectKind } from '../../shared/model/clusterObjects.ts'
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import { NODE_CLASS_HASH_VERSION, NODE_POOL_HASH_VERSION } from '../../shared/model/driftHash.ts'
import { nodeClassName } from '../../shared/model/ids.ts'
import { ANNOTATION } from '../../shared/model/labels.ts'
import { DISRUPTION_REASONS } from '../../shared/model/nodePool.ts'
import { OBJECT_CODECS } from '../../shared/wire/change.ts'
import { type Codec, decode } from '../../shared/wire/codec.ts'
import { objectFromKube } from '../../shared/wire/kube/object.ts'
import { definitionManifest } from '../../shared/wire/schema/definitionManifest.ts'
import { RESOURCE_DEFINITIONS } from '../../shared/wire/schema/definitions.ts'
import { NOW } from '../builders/clock.ts'
import { statusOf } from '../builders/decided.ts'
import { instanceType } from '../builders/instanceType.ts'
import { node } from '../builders/node.ts'
import { nodeClaim } from '../builders/nodeClaim.ts'
import { observation, writtenCondition } from '../builders/observation.ts'
import { pod } from '../builders/pod.ts'
import { settings, snapshot } from '../builders/snapshot.ts'
import { type Change, changed, type Manifest } from './cases/manifestCase.ts'
import { CLASS_REF } from './cases/nodePoolCases.ts'
import { enumsOf } from './enums.ts'
import { arePublishedHere, PUBLISHED_VERSIONS, publishedDefinition, publishedNames } from './published.ts'

/** A value that no version has today. */
const LATER = 'OfALaterVersion'
/** What an object that this version does not know whole holds, and where that is told. */
type Held = 'machines' | 'moves for every reason' | 'consolidation' | 'launch' | 'overlay' | 'nothing'

type Kind = 'NodePool' | 'NodeClaim' | 'NodeOverlay' | 'AKSNodeClass' | 'CapacityBuffer'
type Row = { readonly held: Held; readonly given?: Change }

const REQUIREMENT = { key: 'a', operator: 'In', values: ['b'] }
const TAINT = { key: 'a', effect: 'NoSchedule' }
const CONDITION = { type: 'Ready', status: 'True', reason: 'Ready', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' }
/** What the status says is written anew, so that nothing waits for it. */
const CONDITIONS: Row = { held: 'nothing', given: { 'status.conditions': [CONDITION] } }
const zones = (list: string): { readonly [place: string]: Row } =>
  Object.fromEntries(
    ['queryLogging', 'protocol', 'forwardDestination', 'forwardPolicy', 'serveStale'].map((name) => [
      `spec.localDNS.${list}[].${name}`,
      { held: 'machines', given: { [`spec.localDNS.${list}`]: [{ zone: '.' }] } } satisfies Row,
    ]),
  )

const ROWS: { readonly [Name in Kind]: { readonly [place: string]: Row } } = {
  NodePool: {
    'spec.template.spec.requirements[].operator': { held: 'machines', given: { 'spec.template.spec.requirements': [REQUIREMENT] } },
    'spec.template.spec.taints[].effect': { held: 'machines', given: { 'spec.template.spec.taints': [TAINT] } },
    'spec.template.spec.startupTaints[].effect': { held: 'machines', given: { 'spec.template.spec.startupTaints': [TAINT] } },
    'spec.disruption.budgets[].reasons[]': {
      held: 'moves for every reason',
      given: { 'spec.disruption.budgets': [{ nodes: '100%', reasons: ['Empty'] }] },
    },
    'spec.disruption.consolidationPolicy': { held: 'consolidation' },
    'status.conditions[].status': CONDITIONS,
  },
  NodeClaim: {
    'spec.requirements[].operator': { held: 'launch', given: { 'spec.requirements': [REQUIREMENT] } },
    'spec.taints[].effect': { held: 'launch', given: { 'spec.taints': [TAINT] } },
    'spec.startupTaints[].effect': { held: 'launch', given: { 'spec.startupTaints': [TAINT] } },
    'status.conditions[].status': CONDITIONS,
  },
  NodeOverlay: {
    'spec.requirements[].operator': { held: 'overlay', given: { 'spec.requirements': [REQUIREMENT] } },
    'status.conditions[].status': CONDITIONS,
  },
  AKSNodeClass: {
    'spec.imageFamily': { held: 'machines' },
    'spec.osDiskType': { held: 'machines' },
    'spec.fipsMode': { held: 'machines' },
    'spec.gpu.mode': { held: 'machines' },
    'spec.kubelet.cpuManagerPolicy': { held: 'machines' },
    'spec.kubelet.topologyManagerPolicy': { held: 'machines' },
    'spec.linuxOSConfig.transparentHugePageDefrag': { held: 'machines' },
    'spec.linuxOSConfig.transparentHugePageEnabled': { held: 'machines' },
    'spec.localDNS.mode': { held: 'machines' },
    ...zones('vnetDNSOverrides'),
    ...zones('kubeDNSOverrides'),
    'status.conditions[].status': CONDITIONS,
    'status.localDNSState': { held: 'nothing' },
  },
  CapacityBuffer: { 'status.conditions[].status': CONDITIONS },
}

const OF_KIND = {
  NodePool: 'nodePool',
  NodeClaim: 'nodeClaim',
  NodeOverlay: 'nodeOverlay',
  AKSNodeClass: 'nodeClass',
  CapacityBuffer: 'capacityBuffer',
} as const satisfies { readonly [Name in Kind]: ObjectKind }

const SPECS: { readonly [Name in Kind]: Manifest } = {
  NodePool: { template: { spec: { nodeClassRef: CLASS_REF, requirements: [] } }, disruption: { consolidateAfter: '0s' } },
  NodeClaim: { nodeClassRef: CLASS_REF, requirements: [] },
  NodeOverlay: { requirements: [], price: '0.001' },
  AKSNodeClass: {},
  CapacityBuffer: { podTemplateRef: { name: 'a' }, replicas: 1 },
}

const DEFINITIONS = [
  ...RESOURCE_DEFINITIONS.map(definitionManifest),
  ...(arePublishedHere
    ? PUBLISHED_VERSIONS.flatMap((version) => publishedNames(version).map((name) => publishedDefinition(name, version)))
    : []),
]

it('each list of values in a definition, ours or published, has a row', () => {
  const fields = [...new Set(DEFINITIONS.flatMap(enumsOf).map(({ kind, place }) => `${kind} ${place}`))].sort()
  expect(
    Object.entries(ROWS)
      .flatMap(([kind, rows]) => Object.keys(rows).map((place) => `${kind} ${place}`))
      .sort(),
  ).toEqual(fields)
})

for (const [name, rows] of Object.entries(ROWS)) {
  const kind = name as Kind
  describe(`a value of a later version in a ${kind}`, () => {
    for (const [place, { held, given = {} }] of Object.entries(rows)) {
      const path = place.replaceAll('[]', '[0]')
      const metadata = { name: 'default', namespace: 'default', uid: 'u' }
      const known = changed({ metadata, spec: SPECS[kind] }, given)
      const json = changed(known, { [path]: LATER })

      it(`${place} holds ${held}, and the rest goes on`, () => {
        const object = readAs(OF_KIND[kind], json)
        CHECKS[held](kind, object, path)
      })

      it(`${place} is stored as it was read`, () => {
        const object = readAs(OF_KIND[kind], json)
        const codec = OBJECT_CODECS[OF_KIND[kind]] as Codec<ObjectByKind[ObjectKind]>
        const stored: unknown = JSON.parse(JSON.stringify(codec.write(object)))
        expect(decode(codec, stored, { object: kind })).toEqual({ ok: true, value: object })
      })
    }
  })
}

it('an object with very many such values tells of ten', () => {
  const taints = Array.from({ length: 1_000 }, (_, index) => ({ key: `a${index}`, effect: LATER }))
  const json = { metadata: { name: 'default', uid: 'u' }, spec: changed(SPECS.NodePool, { 'template.spec.taints': taints }) }
  const { unknownValues = [] } = readAs('nodePool', json)
  expect(unknownValues).toHaveLength(11)
  expect(unknownValues.at(-1)).toBe('990 more values are not known')
})

it('a value of another type makes an object unreadable, as no version has it', () => {
  const json = {
    metadata: { name: 'default', uid: 'u' },
    spec: changed(SPECS.NodePool, { 'template.spec.taints': [{ key: 'a', effect: 1 }] }),
  }
  expect(objectFromKube('nodePool', json)).toMatchObject({ ok: false, error: { path: 'spec.template.spec.taints[0].effect' } })
})

function readAs<Kind extends ObjectKind>(kind: Kind, json: unknown): ObjectByKind[Kind] {
  const read = objectFromKube(kind, json)
  return read.ok ? read.value : expect.fail(read.error.message)
}

type AnyObject = ObjectByKind[(typeof OF_KIND)[Kind]]

function clusterWith(kind: Kind, object: AnyObject): ClusterSnapshot {
  return snapshot({ types: [instanceType()], objects: { pod: [pod()], [OF_KIND[kind]]: [object] } })
}

/** The conditions and Events that a decision writes on objects. */
function toldOf(cluster: ClusterSnapshot): string {
  return statusOf(cluster)
    .actions.filter((action) => action.kind.endsWith('Status') || action.kind === 'publish')
    .map((action) => JSON.stringify(action))
    .join('\n')
}

const words = (path: string): string => JSON.stringify(`${path}: "${LATER}" is not known to this version of Joiner`).slice(1, -1)
const poolOf = (object: AnyObject) => object as ObjectByKind['nodePool']
const isReady = (cluster: ClusterSnapshot): boolean =>
  withStatus(cluster, statusOf(cluster)).objects.nodePool[0]?.status.conditions.some(
    ({ type, status }) => type === 'Ready' && status === 'True',
  ) === true

const CHECKS: { readonly [What in Held]: (kind: Kind, object: AnyObject, path: string) => void } = {
  machines(kind, object, path) {
    const cluster = clusterWith(kind, object)
    const told = toldOf(cluster)
    expect(told).toContain(words(path))
    expect(told).toContain('"type":"Warning"')
    expect(isReady(cluster)).toBe(false)
    expect(decideProvisioning(withStatus(cluster, statusOf(cluster))).actions).not.toContainEqual(
      expect.objectContaining({ kind: 'createClaim' }),
    )
    const images = [{ id: 'later', requirements: [] }]
    const versions = statusOf({ ...cluster, nodeVersions: new Map([[nodeClassName('default'), { images }]]) })
    expect(JSON.stringify(versions).includes('"images"')).toBe(kind === 'NodePool')
    const [drift, stamps] = driftIn(cluster)
    expect(drift).toBeUndefined()
    expect(stamps).toBeUndefined()
  },
  'moves for every reason'(kind, object, path) {
    const cluster = clusterWith(kind, object)
    const counting = fleetSnapshotOf(cluster)
    expect(DISRUPTION_REASONS.map((reason) => allowanceOf(poolOf(object), reason, counting)?.remaining)).toEqual(
      DISRUPTION_REASONS.map(() => 0),
    )
    expect(toldOf(cluster)).toContain(words(path.replace(/\[0\]$/, '')))
    expect(toldOf(cluster)).toContain('no node is disrupted for any reason')
    expect(isReady(cluster)).toBe(true)
  },
  consolidation(kind, object, path) {
    const cluster = clusterWith(kind, object)
    const [claim, up] = [nodeClaim({ name: 'a' }), node({ claim: 'a' })]
    const [machine] = fleetSnapshotOf({ ...cluster, objects: { ...cluster.objects, nodeClaim: [claim], node: [up] } }).fleet.all()
    if (machine === undefined) expect.fail('no machine')
    expect(quietAt({ machine, node: up, claim, pool: poolOf(object) })).toBeUndefined()
    expect(toldOf(cluster)).toContain(words(path))
    expect(toldOf(cluster)).toContain('no node is consolidated')
    expect(isReady(cluster)).toBe(true)
  },
  launch(_kind, object, path) {
    const claim = { ...(object as ObjectByKind['nodeClaim']), meta: nodeClaim().meta }
    const step = stepLaunch(observation({ claim }))
    expect(step?.actions.map(({ kind }) => kind)).toEqual(['patchStatus'])
    const condition = writtenCondition(step?.actions ?? [], 'Launched')
    expect(condition).toMatchObject({ status: 'Unknown', reason: 'UnknownValue' })
    expect(condition?.message).toContain(`${path}: "${LATER}"`)
  },
  overlay(kind, object, path) {
    const cluster = clusterWith(kind, object)
    expect(toldOf(cluster)).toContain(words(path))
    const [pool] = cluster.objects.nodePool
    if (pool === undefined) expect.fail('no pool')
    expect(overlaidTypes(cluster)(pool.name, pool.template.nodeClassRef.name)).toEqual([instanceType()])
  },
  nothing(kind, object) {
    expect(object.status.conditions.map(({ status }) => status)).toEqual(object.status.conditions.map(() => 'Unknown'))
    if (kind === 'AKSNodeClass') expect(object).toMatchObject({ status: expect.not.objectContaining({ localDnsState: LATER }) })
    expect(object).not.toHaveProperty('unknownValues')
  },
}

/** The drift of a machine that was made by other hashes, and the hashes that a machine without them gets. */
function driftIn({ objects, instanceTypes }: ClusterSnapshot) {
  const [pool] = objects.nodePool
  const [nodeClass] = objects.nodeClass
  if (pool === undefined || nodeClass === undefined) expect.fail('no pool or no class')
  const origin = originOf(pool, nodeClass, instanceTypes.get(nodeClass.name) ?? [], settings())
  const isPool = pool.unknownValues !== undefined
  const [hash, version, known] = isPool
    ? [ANNOTATION.nodePoolHash, ANNOTATION.nodePoolHashVersion, NODE_POOL_HASH_VERSION]
    : [ANNOTATION.nodeClassHash, ANNOTATION.nodeClassHashVersion, NODE_CLASS_HASH_VERSION]
  const made = nodeClaim({ meta: { annotations: { [hash]: 'other', [version]: known } } })
  const stamps = restamped(nodeClaim(), origin) ?? {}
  return [driftOf(made, undefined, origin, NOW), stamps[hash]] as const
}
