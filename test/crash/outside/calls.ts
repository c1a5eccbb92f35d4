import { clusterId, nodeClaimName, nodeClassName, nodeName, nodePoolName, objectKey, uid, vmSizeName } from '../../../shared/model/ids.ts'
import { PLANNED_DELETION_COST } from '../../../shared/model/labels.ts'
import type { NodeClaimDraft } from '../../../shared/model/nodeClaim.ts'
import { durationMs } from '../../../shared/model/units.ts'
import { catalog } from '../../builders/catalog.ts'
import { hence, NOW } from '../../builders/clock.ts'
import { node } from '../../builders/node.ts'
import { nodeClaim } from '../../builders/nodeClaim.ts'
import { nodeClass } from '../../builders/nodeClass.ts'
import { pod } from '../../builders/pod.ts'
import type { OutsidePorts } from './realPorts.ts'
import { OTHER_SUBNET } from './realPorts.ts'

const SIGNAL = new AbortController().signal
const CLAIM = nodeClaimName('default-aaaaa')
const CLUSTER = clusterId('test')
/** Only adapters and the handler of poisoned messages read and write documents. */
const NO_FLOW = 'no flow reads documents by path'
const ASKED = { cluster: CLUSTER, claim: CLAIM, family: 'standardDasv6Family', capacityType: 'on-demand', cpus: 2, at: NOW } as const
const BLOCKED = {
  scope: { kind: 'capacityType', capacityType: 'spot' },
  until: hence(1_000),
  code: 'AZURE.QUOTA.SPOT',
  message: 'none left',
} as const
const REPORT = {
  kind: 'notBooted',
  cluster: CLUSTER,
  claim: CLAIM,
  nodeClass: nodeClassName('default'),
  size: vmSizeName('Standard_D4as_v6'),
  launchedAt: NOW,
  at: hence(1_000),
} as const
const STATUS = { conditions: [] }

type Call<Port> = { readonly make: (port: Port) => Promise<unknown>; readonly unused?: string }
type Calls = { readonly [Name in keyof OutsidePorts]: { readonly [Method in keyof OutsidePorts[Name]]: Call<OutsidePorts[Name]> } }

const draft: NodeClaimDraft = { name: CLAIM, nodePool: nodePoolName('default'), labels: {}, annotations: {}, spec: nodeClaim().spec }
const position = '0'
const [someType] = catalog()

/** Every call of every port, made once. The type requires a row for each. The stories must make all calls, except those that `unused` explains. */
export const CALLS: Calls = {
  api: {
    getClaim: { make: (api) => api.getClaim(CLAIM, SIGNAL) },
    listClaims: { make: (api) => api.listClaims(SIGNAL) },
    createClaim: { make: (api) => api.createClaim(draft, undefined, SIGNAL) },
    patchClaim: { make: (api) => api.patchClaim(nodeClaim(), { labels: { a: 'b' } }, SIGNAL) },
    patchClaimStatus: { make: (api) => api.patchClaimStatus(nodeClaim(), nodeClaim().status, SIGNAL) },
    deleteClaim: { make: (api) => api.deleteClaim(CLAIM, uid('u'), SIGNAL) },
    getNodePool: { make: (api) => api.getNodePool(nodePoolName('default'), SIGNAL) },
    patchNodePoolStatus: {
      make: (api) => api.patchNodePoolStatus(nodePoolName('default'), { ...STATUS, resources: {}, nodes: 0 }, SIGNAL),
    },
    annotateNodePool: { make: (api) => api.annotateNodePool(nodePoolName('default'), { a: 'b' }, SIGNAL) },
    getNodeClass: { make: (api) => api.getNodeClass(nodeClassName('default'), SIGNAL) },
    patchNodeClassFinalizers: { make: (api) => api.patchNodeClassFinalizers(nodeClass(), [], SIGNAL) },
    patchNodeClassStatus: { make: (api) => api.patchNodeClassStatus(nodeClassName('default'), STATUS, SIGNAL) },
    listNodeOverlays: { make: (api) => api.listNodeOverlays(SIGNAL) },
    patchNodeOverlayStatus: { make: (api) => api.patchNodeOverlayStatus('overlay', STATUS, SIGNAL) },
    patchCapacityBufferStatus: { make: (api) => api.patchCapacityBufferStatus(objectKey('default', 'buffer'), STATUS, SIGNAL) },
    getNode: { make: (api) => api.getNode(nodeName('aks-default-aaaaa'), SIGNAL) },
    patchNode: { make: (api) => api.patchNode(node(), { taints: [] }, SIGNAL) },
    getVolumeAttachment: { make: (api) => api.getVolumeAttachment('csi-1', SIGNAL) },
    deleteNode: { make: (api) => api.deleteNode(nodeName('aks-default-aaaaa'), uid('u'), SIGNAL) },
    listPodsOn: { make: (api) => api.listPodsOn(nodeName('aks-default-aaaaa'), SIGNAL) },
    listPodsNominatedFor: { make: (api) => api.listPodsNominatedFor(nodeName('aks-default-aaaaa'), SIGNAL) },
    getSchedulerMessage: { make: (api) => api.getSchedulerMessage(pod(), SIGNAL) },
    evict: { make: (api) => api.evict(pod(), SIGNAL) },
    setDeletionCost: { make: (api) => api.setDeletionCost(pod(), PLANNED_DELETION_COST, SIGNAL) },
    deletePod: { make: (api) => api.deletePod(pod(), 0, SIGNAL) },
    putBootstrapToken: { make: (api) => api.putBootstrapToken(CLAIM, hence(1_000), SIGNAL) },
    deleteBootstrapToken: { make: (api) => api.deleteBootstrapToken(CLAIM, SIGNAL) },
    publish: {
      make: (api) =>
        api.publish({ subject: { kind: 'nodeClaim', name: CLAIM }, type: 'Normal', reason: 'Launched', message: 'a machine' }, SIGNAL),
    },
  },
  cloud: {
    launch: {
      make: (cloud) => {
        const [offering] = someType?.offerings ?? []
        if (someType === undefined || offering === undefined) throw new TypeError('the catalog of the tests is empty')
        const { zone, capacityType } = offering
        const candidate = { choice: { size: vmSizeName(someType.name), zone, capacityType }, instanceType: someType, labels: {} }
        const bootstrapToken = () => Promise.resolve('abcdef.0123456789abcdef')
        const claim = nodeClaim({ stage: 'created' })
        return cloud.launch({ claim, nodeClass: nodeClass(), candidate, bootstrapToken, within: durationMs(30_000) }, SIGNAL)
      },
    },
    get: { make: (cloud) => cloud.get(CLAIM, SIGNAL) },
    list: { make: (cloud) => cloud.list(SIGNAL) },
    terminate: { make: (cloud) => cloud.terminate(CLAIM, SIGNAL) },
    restart: { make: (cloud) => cloud.restart(CLAIM, SIGNAL) },
    restartProblem: { make: (cloud) => cloud.restartProblem(SIGNAL) },
    listOrphanInterfaces: { make: (cloud) => cloud.listOrphanInterfaces(SIGNAL) },
    deleteInterface: { make: (cloud) => cloud.deleteInterface('aks-default-aaaaa', SIGNAL) },
    updateTags: { make: (cloud) => cloud.updateTags({ claim: nodeClaim(), nodeClass: nodeClass(), before: {} }, SIGNAL) },
    encryptionProblem: { make: (cloud) => cloud.encryptionProblem(SIGNAL) },
    subnetState: { make: (cloud) => cloud.subnetState(nodeClass({ spec: { vnetSubnetId: OTHER_SUBNET } }), SIGNAL) },
  },
  catalog: {
    instanceTypes: { make: (types) => types.instanceTypes(nodeClass(), SIGNAL) },
    sizeProblem: { make: (types) => types.sizeProblem(nodeClass(), SIGNAL) },
    nodeVersions: { make: (types) => types.nodeVersions(nodeClass(), SIGNAL) },
    quota: { make: (types) => types.quota(SIGNAL) },
    leftOutSizes: { make: (types) => types.leftOutSizes(SIGNAL) },
    refresh: { make: (types) => types.refresh(SIGNAL) },
  },
  facts: {
    load: { make: (facts) => facts.load(SIGNAL) },
    refresh: { make: (facts) => facts.refresh(SIGNAL), unused: 'the timer of the catalog reads them anew, not a flow' },
  },
  log: {
    append: { make: (log) => log.append({ term: 1, receivedAt: NOW, body: { kind: 'changes', changes: [] } }, SIGNAL) },
    checkTerm: {
      make: (log) => log.checkTerm({ term: 1, receivedAt: NOW }, SIGNAL),
      unused: 'a post without changes asks, before any flow begins',
    },
    read: { make: (log) => log.read(undefined, SIGNAL) },
    loadCheckpoint: { make: (log) => log.loadCheckpoint(SIGNAL) },
    saveCheckpoint: {
      make: (log) => log.saveCheckpoint({ position, floor: { term: 1, seq: 1 }, complete: { term: 1, seq: 1 }, entries: [] }, SIGNAL),
    },
    rotate: { make: (log) => log.rotate(SIGNAL) },
    requestSnapshot: { make: (log) => log.requestSnapshot('a test', SIGNAL) },
    snapshotRequest: { make: (log) => log.snapshotRequest(SIGNAL) },
  },
  ledger: {
    load: { make: (ledger) => ledger.load(SIGNAL) },
    save: {
      make: (ledger) =>
        ledger.save(
          { schema: 1, cluster: CLUSTER, epoch: 1, decisions: 1, intents: [], nominations: [], commands: [], backOffs: [] },
          undefined,
          SIGNAL,
        ),
    },
  },
  lease: { acquire: { make: (lease) => lease.acquire(SIGNAL) } },
  decisions: {
    save: {
      make: (decisions) =>
        decisions.save({ number: 1, epoch: 1, takenAt: NOW, position, decision: { actions: [], reasons: [] }, decideMs: 1 }, SIGNAL),
    },
    latest: { make: (decisions) => decisions.latest(1, SIGNAL) },
  },
  offerings: {
    unavailable: { make: (offerings) => offerings.unavailable(NOW, SIGNAL) },
    mark: { make: (offerings) => offerings.mark([BLOCKED], NOW, SIGNAL) },
    made: { make: (offerings) => offerings.made([{ scope: BLOCKED.scope, launchedAt: hence(1_000) }], NOW, SIGNAL) },
    asked: { make: (offerings) => offerings.asked(NOW, SIGNAL) },
    ask: { make: (offerings) => offerings.ask(ASKED, { readAt: NOW, usages: { cores: { limit: 10, used: 0 } } }, SIGNAL) },
    withdraw: { make: (offerings) => offerings.withdraw(ASKED, NOW, SIGNAL) },
    reports: { make: (offerings) => offerings.reports(NOW, SIGNAL) },
    report: { make: (offerings) => offerings.report([REPORT], NOW, SIGNAL) },
  },
  wakes: { wake: { make: (wakes) => wakes.wake(CLUSTER, SIGNAL), unused: 'a process that ends sends it, not a flow' } },
  backlog: { look: { make: (backlog) => backlog.look(SIGNAL), unused: 'the timer looks and tells, not a flow' } },
  blobs: {
    read: { make: (blobs) => blobs.read('a', SIGNAL), unused: NO_FLOW },
    write: { make: (blobs) => blobs.write('a', '{}', 'any', SIGNAL), unused: NO_FLOW },
    remove: { make: (blobs) => blobs.remove('a', SIGNAL), unused: NO_FLOW },
    list: { make: (blobs) => blobs.list('a', SIGNAL), unused: NO_FLOW },
  },
}

/** The port and method of a call, for example `api.createClaim`. */
export type CallName = { [Port in keyof OutsidePorts]: `${Port}.${keyof OutsidePorts[Port] & string}` }[keyof OutsidePorts]

/** The names of all calls, or of the calls that flows make. */
export function callNames(which: 'all' | 'made by flows' = 'all'): readonly CallName[] {
  return Object.entries(CALLS).flatMap(([port, calls]) =>
    Object.entries<{ readonly unused?: string }>(calls)
      .filter(([, { unused }]) => which === 'all' || unused === undefined)
      .map(([method]) => `${port}.${method}` as CallName),
  )
}
