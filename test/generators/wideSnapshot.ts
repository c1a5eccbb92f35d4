/**
 * Random clusters with more rare features: several volume drivers with and without limits, disks that several zones reach, volumes of one host,
 * alternative node selector terms, affinity to two kinds of pods at once, DaemonSets without pods yet or with anti-affinity to pods, pools of one
 * weight with a limit on machines, and overlays with any price that their schema allows. The same seed gives the same cluster everywhere.
 */
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import { objectKey, uid } from '../../shared/model/ids.ts'
import type { Labels } from '../../shared/model/labels.ts'
import type { NodeOverlay, NodePool } from '../../shared/model/nodePool.ts'
import type { NodeSelectorTerm, Pod } from '../../shared/model/pod.ts'
import type { CsiNode, DaemonSet, PersistentVolume } from '../../shared/model/workloads.ts'
import { createRandom, type Random } from '../agreement/random.ts'
import { nodeOverlay } from '../builders/nodeOverlay.ts'
import { randomSnapshot } from './randomSnapshot.ts'
import { APPS, CAPACITY, CPUS, HOST, SIZE, ZONE, ZONES } from './words.ts'

const DISK = 'disk.csi.azure.com'
const SHARE = 'file.csi.azure.com'
const OTHER = 'block.csi.example.com'
const DRIVERS: readonly string[] = [DISK, SHARE, OTHER]
const VOLUMES: readonly string[] = ['wide-0', 'wide-1', 'wide-2', 'wide-3', 'wide-4', 'wide-5', 'wide-6', 'wide-7']

export function wideSnapshot(seed: number): ClusterSnapshot {
  const given = randomSnapshot(seed)
  const random = createRandom(seed + 7_000_000)
  const { objects } = given
  const hosts = [...objects.node.map(({ name }): string => name), 'gone']
  const volumes = VOLUMES.map((name) => randomVolume(random, name, hosts))
  const changed: Partial<ClusterSnapshot['objects']> = {
    persistentVolume: [...objects.persistentVolume, ...volumes],
    persistentVolumeClaim: [
      ...objects.persistentVolumeClaim,
      ...VOLUMES.map((name) => ({ key: objectKey('default', name), uid: uid(`uid-${name}`), volumeName: name, deleted: false })),
    ],
    csiNode: objects.node.flatMap(({ name }): readonly CsiNode[] =>
      random.chance(0.7) ? [{ name, uid: uid(name), ...driversOf(random) }] : [],
    ),
    pod: objects.pod.map((pod) => (pod.nodeName === undefined ? widePod(random, pod) : pod)),
    daemonSet: objects.daemonSet.map((each) => (random.chance(0.5) ? withPort(each) : each)),
    nodePool: random.chance(0.5) ? objects.nodePool.map((each) => ofOneWeight(random, each)) : objects.nodePool,
    nodeOverlay: random.chance(0.3) ? [randomOverlay(random, 'one'), randomOverlay(random, 'two')] : [],
  }
  const ofDaemons = createRandom(seed + 9_000_000)
  const wide = { ...given, objects: { ...objects, ...changed } }
  return ofDaemons.chance(0.8) ? wide : withDaemonAntiAffinity(ofDaemons, wide)
}

/** The cluster of `wideSnapshot`, with anti-affinity between DaemonSets and pods wherever there are DaemonSets. */
export function daemonSnapshot(seed: number): ClusterSnapshot {
  return withDaemonAntiAffinity(createRandom(seed + 11_000_000), wideSnapshot(seed))
}

/** Gives DaemonSets of some machines anti-affinity to pods, and pods anti-affinity to DaemonSets, over hosts and wider domains. */
function withDaemonAntiAffinity(random: Random, given: ClusterSnapshot): ClusterSnapshot {
  const { daemonSet, pod } = given.objects
  if (daemonSet.length === 0) return given
  const aloof = daemonSet.map(
    (set): DaemonSet => ({ ...set, pod: keepingAway(random, ofSomeMachines(random, set.pod), 'default', { app: random.pick(APPS) }) }),
  )
  const names = daemonSet.map(({ key }) => key.slice(key.indexOf('/') + 1))
  const pods = pod.map((each) => {
    const set = aloof.find(({ uid: owner }) => owner === each.owner?.uid)
    if (set !== undefined) return { ...each, podAntiAffinity: set.pod.podAntiAffinity }
    return each.nodeName === undefined && random.chance(0.2)
      ? keepingAway(random, each, 'kube-system', { daemon: random.pick(names) })
      : each
  })
  return { ...given, objects: { ...given.objects, daemonSet: aloof, pod: pods } }
}

function ofSomeMachines(random: Random, pod: Pod): Pod {
  const some = random.chance(0.5) ? { [CAPACITY]: 'spot' } : { [ZONE]: random.pick(ZONES) }
  return random.chance(0.7) ? { ...pod, nodeSelector: { ...pod.nodeSelector, ...some } } : pod
}

function keepingAway(random: Random, pod: Pod, namespace: string, matchLabels: Labels): Pod {
  if (random.chance(0.3)) return pod
  const term = {
    topologyKey: random.pick([HOST, ZONE, ZONE, CAPACITY]),
    selector: { matchLabels, matchExpressions: [] },
    namespaces: [namespace],
    matchLabelKeys: [],
    mismatchLabelKeys: [],
  }
  return { ...pod, podAntiAffinity: { ...pod.podAntiAffinity, required: [...pod.podAntiAffinity.required, term] } }
}

/** Drivers that have come to a node, some without a limit. */
function driversOf(random: Random): Pick<CsiNode, 'limits' | 'unlimited'> {
  const limited = random.some([DISK, OTHER], 0.7)
  const limits = Object.fromEntries(limited.map((driver) => [driver, random.int(5)]))
  return { limits, unlimited: [DISK, OTHER].filter((driver) => !limited.includes(driver) && random.chance(0.5)) }
}

function randomVolume(random: Random, name: string, hosts: readonly string[]): PersistentVolume {
  const base = { name, uid: uid(`uid-pv-${name}`) }
  if (random.chance(0.2)) return { ...base, nodeTerms: [term(HOST, 'In', [random.pick(hosts)])] }
  const driver = random.pick(DRIVERS)
  if (driver === SHARE) return { ...base, driver }
  const zones = random.some(ZONES, 0.6)
  const nodeTerms = random.chance(0.5)
    ? zones.map((zone) => term(ZONE, 'In', [zone]))
    : [term(ZONE, 'In', zones.length > 0 ? zones : ZONES)]
  return { ...base, driver, ...(zones.length === 0 ? {} : { nodeTerms }) }
}

function widePod(random: Random, pod: Pod): Pod {
  const isHome = pod.key.startsWith('default/')
  const mounted = isHome && random.chance(0.35) ? random.some(VOLUMES, random.pick([0.15, 0.3, 0.6])) : []
  const near = random.chance(0.1) ? [affinityTo(random, pod), affinityTo(random, pod)] : []
  return {
    ...pod,
    volumes: [...pod.volumes, ...mounted.map((claimName) => ({ kind: 'claim' as const, claimName }))],
    ...(random.chance(0.25) ? choosing(random) : {}),
    podAffinity: { ...pod.podAffinity, required: [...pod.podAffinity.required, ...near] },
  }
}

function choosing(random: Random): Partial<Pod> {
  return { requiredNodeTerms: Array.from({ length: 2 + random.int(2) }, () => choice(random)) }
}

/** A term that changes the price: a pod with several terms has cheaper and dearer alternatives. */
function choice(random: Random): NodeSelectorTerm {
  return random.pick([
    () => term(CPUS, 'Gt', [random.pick(['1', '3', '7'])]),
    () => term(SIZE, 'In', [random.pick(['Standard_D16as_v6', 'Standard_D2as_v6', 'Standard_E4as_v6', 'Standard_F2als_v6'])]),
    () => term(ZONE, 'In', [random.pick(ZONES)]),
    () => term(CAPACITY, 'In', [random.pick(['spot', 'on-demand'])]),
  ])()
}

function affinityTo(random: Random, pod: Pod): Pod['podAffinity']['required'][number] {
  const app = random.chance(0.5) ? (pod.labels['app'] ?? '') : random.pick(APPS)
  return {
    topologyKey: random.pick([HOST, ZONE]),
    selector: { matchLabels: { app }, matchExpressions: [] },
    namespaces: [],
    matchLabelKeys: [],
    mismatchLabelKeys: [],
  }
}

function term(key: string, operator: 'In' | 'Gt', values: readonly string[]): NodeSelectorTerm {
  return { matchExpressions: [{ key, operator, values }], matchFields: [] }
}

/** The DaemonSet with a host port that other pods also ask for. */
function withPort(set: DaemonSet): DaemonSet {
  return { ...set, pod: { ...set.pod, hostPorts: [{ ip: '0.0.0.0', port: 8080, protocol: 'TCP' }] } }
}

function ofOneWeight(random: Random, pool: NodePool): NodePool {
  const { weight: _, ...rest } = pool
  return { ...rest, limits: random.chance(0.5) ? { nodes: 1 + random.int(2) } : {} }
}

function randomOverlay(random: Random, name: string): NodeOverlay {
  const digits = random.pick(['0', '0.001', '12', '999999', '10000000000', '9007199255', '9'.repeat(400)])
  const price = random.chance(0.5) ? { price: digits } : { priceAdjustment: `${random.pick(['+', '-'])}${digits}` }
  const requirements = [{ key: CAPACITY, operator: 'In' as const, values: [random.pick(['spot', 'on-demand'])] }]
  return nodeOverlay({ name, weight: 1 + random.int(3), requirements, ...price })
}
