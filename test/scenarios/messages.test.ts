/**
 * What people read about the worlds of all scenarios: each refusal of a pod, each reason why a node stays, and the explanation of each pod. A code of
 * which no scenario has a message needs a row that names the test of its message.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { repositoryRoot } from '../../scripts/floors.ts'
import { decide } from '../../shared/engine/loadedCluster.ts'
import { explainNode, explainPod } from '../../shared/engine/scheduling/explain/explainPod.ts'
import { renderExplanation } from '../../shared/engine/scheduling/explain/render.ts'
import { loadPlanning } from '../../shared/engine/scheduling/planningState.ts'
import { claimAskOf } from '../../shared/model/claimRefusal.ts'
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import type { Reason } from '../../shared/model/decision.ts'
import { PROBLEM_CODES, type ProblemCode } from '../../shared/model/problem.ts'
import { hence, MINUTE } from '../builders/clock.ts'
import { instanceType, offering } from '../builders/instanceType.ts'
import { DAEMON_SET, NODE_OWNER } from '../builders/pod.ts'
import { BALANCED } from './disruption/balancedScenarios.ts'
import { BINDING } from './disruption/bindingScenarios.ts'
import { CALM_SETTINGS } from './disruption/calmScenarios.ts'
import { CANDIDATES } from './disruption/candidateScenarios.ts'
import { SPOT_AND_ON_DEMAND } from './disruption/capacityTypeScenarios.ts'
import { DELETE, REPLACE } from './disruption/consolidationScenarios.ts'
import { DRIFT } from './disruption/driftScenarios.ts'
import { EMPTINESS } from './disruption/emptinessScenarios.ts'
import { FURTHER, PROTECTED } from './disruption/furtherScenarios.ts'
import { POOL_BUDGETS } from './disruption/poolBudgetScenarios.ts'
import { moveSnapshotOf } from './disruption/verifyMoves.ts'
import { size, sold } from './fixtureTypes.ts'
import { worldOf } from './givenWorld.ts'
import { outsideMessages } from './outsideMessages.ts'
import type { Given } from './scenario.ts'
import { TABLES } from './tables.ts'

const MOVES = [BALANCED, BINDING, CALM_SETTINGS, CANDIDATES, SPOT_AND_ON_DEMAND, DELETE, REPLACE, DRIFT, EMPTINESS, FURTHER, PROTECTED]

/** Codes whose messages no scenario has: the test that has them. A row ends with a dot if it is about all codes that begin so. */
const ELSEWHERE: { readonly [code: string]: string } = {
  'POD.NOT_PROVISIONABLE': 'functions/explainWords.test.ts',
  'POOL.NO_INSTANCE_TYPE': 'shared/engine/scheduling/decision/everyVerdict.test.ts',
  'POOL.PAUSED': 'shared/engine/status/registrationHealth.test.ts',
  'DISRUPTION.OCCUPIED': 'shared/flows/apply/disruptClaim.test.ts',
  'DISRUPTION.RESTING': 'shared/engine/disruption/candidates/candidate.test.ts',
  'DISRUPTION.DEADLINE': 'shared/engine/disruption/verdicts/moveTurns.test.ts',
  'DISRUPTION.REPAIR_PAUSED': 'shared/engine/repair/repairHolds.test.ts',
  'DISRUPTION.DRIFT_PAUSED': 'shared/engine/disruption/moves/move.test.ts',
  'CLAIM.NOT_FOUND': 'shared/engine/scheduling/explain/explainNode.test.ts',
  'CLAIM.LAUNCH_TIMEOUT': 'shared/engine/lifecycle/liveness.test.ts',
  'CLAIM.REGISTRATION_TIMEOUT': 'shared/engine/lifecycle/liveness.test.ts',
  'CLAIM.INITIALIZATION_TIMEOUT': 'shared/engine/lifecycle/liveness.test.ts',
  'CLAIM.INSUFFICIENT_CAPACITY': 'shared/engine/lifecycle/launch.test.ts',
  'CLAIM.NODE_DELETED': 'shared/engine/lifecycle/liveness.test.ts',
  'CLAIM.INSTANCE_GONE': 'shared/engine/lifecycle/liveness.test.ts',
  'AZURE.NOT_FOUND': 'shared/engine/status/classStatus.test.ts',
  'AZURE.LOCKED': 'test/azure/launchFaults.test.ts',
  'AZURE.SUBSCRIPTION': 'test/azure/launchFaults.test.ts',
  'AZURE.NETWORK_LIMIT': 'shared/adapters/azure/errors/launchRefusal.test.ts',
  'CLUSTER.UNSUPPORTED': 'test/azure/launchFaults.test.ts',
  'INPUT.UNAUTHENTICATED': 'functions/events.test.ts',
  'INPUT.FORBIDDEN': 'functions/events.test.ts',
  'INPUT.TOO_LARGE': 'functions/events.test.ts',
  'INPUT.TOO_MANY_QUESTIONS': 'functions/questionTurns.test.ts',
  'INPUT.OLD_TERM': 'functions/events.test.ts',
  'INPUT.UNSUPPORTED_VERSION': 'functions/events.test.ts',
  'POD.REFUSED_BY_SCHEDULER': 'shared/engine/scheduling/decision/schedulerRefusals.test.ts',
  'INTERNAL.LEFT_OUT': 'test/properties/leftOut.test.ts',
  'INTERNAL.FAILED': 'functions/clusterRuntime.test.ts',
  'STORE.UNAVAILABLE': 'functions/events.test.ts',
  'INPUT.UNKNOWN_CLUSTER': 'functions/clusterRuntime.test.ts',
  'SETTING.INVALID': 'functions/config.test.ts',
  'PREFLIGHT.': 'shared/engine/preflight/preflight.test.ts',
  'STORE.LEASE_HELD': 'test/conformance/lease.ts',
  'STORE.LEASE_LOST': 'shared/adapters/storage/storage.test.ts',
  'STORE.CONFLICT': 'shared/flows/decide/reconcile.test.ts',
  'STORE.NEWER_SCHEMA': 'shared/flows/answer/readStatus.test.ts',
  'STORE.LOG_GAP': 'functions/explain.test.ts',
  'KUBE.EVICTION_BLOCKED': 'shared/adapters/kube/createClusterApi.test.ts',
  'NETWORK.FAILED': 'shared/adapters/tokens/entraCallerIdentity.test.ts',
}

/** A code that nothing gives any more. Programs may still read it in stored decisions. */
const NEVER_GIVEN: ReadonlySet<ProblemCode> = new Set<ProblemCode>(['DISRUPTION.NOT_INITIALIZED'])

/** Worlds for codes that no scenario comes to. */
const FAMILY = 'karpenter.azure.com/sku-family'
const FURTHER_WORLDS: readonly Given[] = [
  { types: { other: [size('s', {})] }, pools: { default: { class: 'gone' } }, pods: { p: {} } },
  { types: { default: [] }, pods: { p: {} } },
  { pools: { gpu: { needs: 'type=none' } }, pods: { p: { select: 'pool=gpu' } } },
  {
    types: [instanceType({ offerings: [offering({ quotaOf: 8 }), offering({ capacityType: 'spot' })] })],
    pods: { p: { select: 'capacity=on-demand' } },
  },
  {
    types: [size('d', { labels: { [FAMILY]: 'D' } }), size('nc', { labels: { [FAMILY]: 'NC' }, capacity: { 'nvidia.com/gpu': 1 } })],
    pools: { default: { needs: `${FAMILY} in D` } },
    pods: { p: { asks: { 'nvidia.com/gpu': 1 } } },
  },
  {
    types: [size('a', { offerings: [sold(0.1, '0'), sold(0.2, 'z1')] })],
    pods: { p: { select: 'zone=z9' }, q: { select: 'zone=0' }, r: {} },
  },
  { pods: { p: { select: 'karpenter.azure.com/sku-famly=D' }, q: { untried: true }, r: { untried: true, mounts: 'gone' } } },
  { pods: { p: { untried: true, over: { schedulerName: 'volcano' } }, q: { over: { resourceClaims: ['gpu'] } } } },
  {
    nodes: { n1: { deleting: true }, n2: {} },
    pods: { p: { on: 'n1' }, q: { on: 'n1', owner: DAEMON_SET }, r: { on: 'n1', owner: NODE_OWNER } },
    budgets: { web: { of: 'app=p', maxUnavailable: '0', disruptionsAllowed: 0 } },
  },
  { templates: { shape: {} }, buffers: { spare: { template: 'shape', replicas: 3 } } },
  { nodes: { n1: { stage: 'registered' }, n2: { stage: 'launched' } } },
]

/** Words that tell a reader nothing, or something else than they mean. */
const VAGUE = /known ones|in no zone|there is no zone|\bno zone\b|for 0 pods|not marked|undefined|\[object|NaN|zone 0\b|In \[0\b/

/** The API server has refused a NodeClaim for the pod. */
function refusedClaim(): ClusterSnapshot {
  const { snapshot } = worldOf({ pods: { p: {} } })
  const { pod, nodePool } = snapshot.objects
  const message = 'admission webhook "policy" denied the request: no cost centre'
  const claimRefusals = nodePool.flatMap(({ name, meta: { uid, generation } }) =>
    pod.map((each) => ({ nodePool: name, uid, generation, ask: claimAskOf(each), message, times: 1, until: hence(MINUTE) })),
  )
  return { ...snapshot, claimRefusals }
}

const snapshots: readonly ClusterSnapshot[] = [
  refusedClaim(),
  ...FURTHER_WORLDS.map((given) => worldOf(given).snapshot),
  ...Object.values(TABLES).flatMap((scenarios) => Object.values(scenarios).map(({ given }) => worldOf(given).snapshot)),
  ...[...MOVES, POOL_BUDGETS].flatMap((scenarios) => Object.values(scenarios).map(({ given }) => moveSnapshotOf(given))),
]
const reasons: readonly Reason[] = snapshots.flatMap((snapshot) => decide(snapshot).reasons).flatMap((each) => [each, ...(each.per ?? [])])

/** What adapters say of answers from outside. */
const outside = outsideMessages()

describe('a message', () => {
  it('of every code comes from a world, or from a test that is named', () => {
    const told = new Set<ProblemCode>([...reasons, ...outside].map(({ code }) => code))
    const rows = Object.keys(ELSEWHERE)
    const isElsewhere = (code: string): boolean => rows.some((row) => (row.endsWith('.') ? code.startsWith(row) : code === row))
    expect(PROBLEM_CODES.filter((code) => !told.has(code) && !isElsewhere(code) && !NEVER_GIVEN.has(code))).toEqual([])
    expect(rows.filter((row) => PROBLEM_CODES.some((code) => code === row && told.has(code)))).toEqual([])
  })

  it('of a named test is there', () => {
    const missing = Object.entries(ELSEWHERE).filter(([row, file]) => {
      const path = join(repositoryRoot, file)
      return !existsSync(path) || !readFileSync(path, 'utf8').includes(row)
    })
    expect(missing).toEqual([])
  })

  it('names its object and holds no vague words', () => {
    const bad = reasons.filter(({ subject, message }) => subject.name === '' || message.trim() === '' || VAGUE.test(message))
    expect(bad.map(({ code, message }) => `${code}: ${message}`)).toEqual([])
  })

  it('about an answer from outside names the object, and gives the answer', () => {
    const bad = outside.filter(
      ({ object = '', message }) => !/^\w+\/\S/.test(object) || !/\S{3}.*\S{3}/.test(message) || VAGUE.test(message),
    )
    expect(bad.map(({ code, message }) => `${code}: ${message}`)).toEqual([])
    const named = outside.filter(({ code }) => code.startsWith('AZURE.'))
    expect(named.filter(({ message }) => !/nodeclaim\/\S+: azure refused .* in zone eastus-1 \(.+\): \S/.test(message))).toEqual([])
  })

  it('about an object that cannot be read names the field and the rule', () => {
    const unreadable = outside.filter(({ code }) => code.endsWith('.INVALID') && !code.startsWith('KUBE.'))
    expect(unreadable.map(({ code }) => code)).toEqual(['POD.INVALID', 'POOL.INVALID', 'NODECLASS.INVALID', 'INPUT.INVALID'])
    expect(unreadable.filter(({ path = '', message }) => path === '' || !message.includes(path))).toEqual([])
  })

  it('about a pod says what to do, unless the pod asks for no node', () => {
    const bad = reasons.filter(({ code, subject, message }) => {
      return subject.kind === 'pod' && code !== 'POD.OPT_OUT' && !/to do: |raise the quota in Azure/.test(message)
    })
    expect([...new Set(bad.map(({ code, message }) => `${code}: ${message}`))]).toEqual([])
  })

  it('about a node has a row that says what to do', () => {
    const rows = readFileSync(join(repositoryRoot, 'docs/errors.md'), 'utf8').split('\n')
    const codes = new Set(reasons.flatMap(({ code, subject }) => (subject.kind === 'pod' ? [] : [code])))
    expect(
      [...codes].filter((code) => !rows.some((row) => row.startsWith(`| \`${code}\` |`) && (row.split(' | ').at(-1) ?? '').length > 3)),
    ).toEqual([])
  })
})

/** The most pods and claims of one world that are explained. */
const MOST = 6

/** What the lines of one answer say becomes of the pod. At most one of them may hold. */
const OUTCOMES = [
  / cannot be placed \(/,
  / gets no new node \(/,
  / gets a new node$/,
  / goes to (node|nodeclaim) /,
  / is not evicted/,
  /goes to no other node/,
]

describe('an explanation', () => {
  const answers = snapshots.flatMap((snapshot) => {
    const planned = loadPlanning(snapshot.objects).plan(snapshot)
    const { pod, nodeClaim } = snapshot.objects
    const pods = new Map(pod.map((each) => [`${each.key.replace(/-\d+$/, '')} ${each.nodeName ?? ''}`, each.key]))
    const found = [...pods.values()].slice(0, MOST).map((key) => explainPod(snapshot, key, planned))
    const claims = nodeClaim.slice(0, MOST).map(({ name }) => explainNode(snapshot, name, planned))
    return [...found, ...claims].map((each) => (each.ok ? renderExplanation(each.value, snapshot.takenAt) : [each.error.message]))
  })

  it('holds no vague words', () => {
    expect(answers.flat().filter((line) => VAGUE.test(line))).toEqual([])
  })

  it('gives one pod one outcome', () => {
    const torn = answers.filter((lines) => OUTCOMES.filter((outcome) => lines.some((line) => outcome.test(line))).length > 1)
    expect(torn).toEqual([])
  })

  it('that refuses a pod says what to do', () => {
    const refused = answers.filter(([first = '']) => / cannot be placed \((?!POD.OPT_OUT)/.test(first))
    expect(refused.length).toBeGreaterThan(50)
    expect(refused.filter((lines) => !/to do: |raise the quota in Azure/.test(lines.join('\n')))).toEqual([])
  })
})
