import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectionFrom } from '../../local/cluster/client/connection.ts'
import { createKubeClient, type KubeClient } from '../../local/cluster/client/kubeClient.ts'
import { findBinaries } from '../../local/controlplane/binaries.ts'
import { type ControlPlane, startControlPlane } from '../../local/controlplane/startControlPlane.ts'
import { daemonManifest, NO_TTL, nameOf, nodeManifest, podManifest } from './manifests.ts'
import { type Plan, planCluster } from './planCluster.ts'
import { type RandomCluster, randomCluster } from './randomCluster.ts'
import { createRealCluster, isBound, type RealCluster } from './realCluster.ts'
import { PLAYED_RELEASES } from './releases.ts'

const LIMIT_MS = 30 * 60_000
const CASES = Number(process.env['AGREEMENT_CASES'] ?? 300)
const FIRST_SEED = Number(process.env['AGREEMENT_SEED'] ?? 1)
const SIDE_BY_SIDE = 10

type Case = { readonly cluster: RandomCluster; readonly plan: Plan }
type Counts = { placed: number; boundFreely: number; impossible: number; unsupported: number; other: number }

for (const { title, isBuilt, source } of PLAYED_RELEASES)
  describe.skipIf(!isBuilt)(`the real scheduler of the ${title}`, () => {
    const signal = AbortSignal.timeout(LIMIT_MS)
    const root = mkdtempSync(join(tmpdir(), 'joiner-agreement-'))
    let plane: ControlPlane
    let client: KubeClient
    beforeAll(async () => {
      const binaries = await findBinaries(source)
      plane = await startControlPlane({
        binaries,
        folder: join(root, 'plane'),
        // No kubelet renews the leases of the nodes here. The long grace period keeps the nodes ready.
        controllerManagerFlags: ['--node-monitor-grace-period=24h', NO_TTL],
      })
      client = createKubeClient(connectionFrom({ kubeconfig: plane.kubeconfigFile }))
    }, LIMIT_MS)
    afterAll(async () => {
      client.close()
      await plane.close()
      rmSync(root, { recursive: true, force: true })
    }, LIMIT_MS)

    it(`agrees with the plans of ${CASES} random clusters`, { timeout: LIMIT_MS }, async () => {
      const cluster = createRealCluster(client, signal)
      const counts: Counts = { placed: 0, boundFreely: 0, impossible: 0, unsupported: 0, other: 0 }
      const disagreements: string[] = []
      const seeds = Array.from({ length: CASES }, (_, index) => FIRST_SEED + index)
      for (let from = 0; from < seeds.length; from += SIDE_BY_SIDE) {
        const cases = seeds.slice(from, from + SIDE_BY_SIDE).map(caseOf)
        const found = [...cases.flatMap(lostPods), ...(await compare(cluster, cases, counts))]
        for (const each of found) console.log(each)
        disagreements.push(...found)
        await cluster.clear()
      }
      console.log(`agreement over ${CASES} clusters: ${JSON.stringify(counts)}, ${disagreements.length} disagreements`)
      expect(disagreements).toEqual([])
      expect(Math.min(counts.placed, counts.impossible)).toBeGreaterThan(CASES / 10)
    })
  })

function caseOf(seed: number): Case {
  const cluster = randomCluster(seed)
  return { cluster, plan: planCluster(cluster) }
}

/** One line for each pod that is neither placed nor refused, or that is both. */
function lostPods({ cluster, plan }: Case): readonly string[] {
  return cluster.pods
    .filter(({ metadata: { name } }) => plan.placed.has(name) === plan.refused.has(name))
    .map(
      ({ metadata: { name } }) =>
        `seed ${cluster.seed}: ${name} is ${plan.placed.has(name) ? 'placed and refused' : 'neither placed nor refused'}`,
    )
}

async function compare(real: RealCluster, cases: readonly Case[], counts: Counts): Promise<readonly string[]> {
  await real.createNodes(cases.flatMap(({ cluster, plan }) => plan.nodes.map((node) => nodeManifest(cluster.seed, node))))
  await real.createDaemonSets(cases.flatMap(({ cluster }) => cluster.daemons.map((daemon) => daemonManifest(cluster.seed, daemon))))
  await real.settle()
  const unbound = await bindPlaced(real, cases, counts)
  return [...unbound, ...(await tryRefused(real, cases, counts))]
}

/**
 * Lets the scheduler choose freely first. If its choices leave a pod of a case unbound, all placed pods of that case are created again, each pinned
 * to the node in the plan. The second try judges the plan itself.
 */
async function bindPlaced(real: RealCluster, cases: readonly Case[], counts: Counts): Promise<readonly string[]> {
  const placedOf = ({ cluster, plan }: Case) => cluster.pods.filter(({ metadata }) => plan.placed.has(metadata.name))
  await real.createPods(cases.flatMap((each) => placedOf(each).map((pod) => podManifest(each.cluster.seed, pod))))
  const left = new Set((await real.judged()).filter((pod) => !isBound(pod)).map((pod) => pod.metadata.name))
  const again = cases.filter((each) => placedOf(each).some(({ metadata }) => left.has(nameOf(each.cluster.seed, metadata.name))))
  for (const each of cases) counts.placed += placedOf(each).length
  counts.boundFreely -= left.size
  counts.boundFreely += cases.reduce((sum, each) => sum + placedOf(each).length, 0)
  await real.deletePods(again.flatMap((each) => placedOf(each).map(({ metadata }) => nameOf(each.cluster.seed, metadata.name))))
  await real.createPods(
    again.flatMap((each) => placedOf(each).map((pod) => podManifest(each.cluster.seed, pod, each.plan.placed.get(pod.metadata.name)))),
  )
  return (await real.judged())
    .filter((pod) => !isBound(pod))
    .map(
      (pod) =>
        `${pod.metadata.name} is placed by the plan and not bound: ${pod.status.conditions?.map(({ message }) => message).join(' ')}`,
    )
}

/** Adds every node that could be bought beside the planned nodes. Then creates the refused pods and returns a line for each pod that was bound. */
async function tryRefused(real: RealCluster, cases: readonly Case[], counts: Counts): Promise<readonly string[]> {
  const refusedOf = ({ cluster, plan }: Case) =>
    cluster.pods.filter(({ metadata }) => countRefusal(plan.refused.get(metadata.name), counts) === 'impossible')
  const trials = cases.map((each) => ({ each, pods: refusedOf(each) })).filter(({ pods }) => pods.length > 0)
  await real.createNodes(trials.flatMap(({ each }) => each.plan.possible.map((node) => nodeManifest(each.cluster.seed, node))))
  await real.settle()
  await real.createPods(trials.flatMap(({ each, pods }) => pods.map((pod) => podManifest(each.cluster.seed, pod))))
  const names = new Map(
    trials.flatMap(({ each, pods }) =>
      pods.map((pod) => [nameOf(each.cluster.seed, pod.metadata.name), each.plan.refused.get(pod.metadata.name)]),
    ),
  )
  return (await real.judged())
    .filter((pod) => names.has(pod.metadata.name) && isBound(pod))
    .map((pod) => `${pod.metadata.name} is refused (${names.get(pod.metadata.name)}) and was bound to ${pod.spec.nodeName}`)
}

function countRefusal(code: string | undefined, counts: Counts): keyof Counts | undefined {
  if (code === undefined) return undefined
  const kind = code.startsWith('POD.UNSUPPORTED')
    ? 'unsupported'
    : /^(POOL\.LIMIT|SCHEDULING\.(OFFERING|MIN_VALUES))$/.test(code)
      ? 'other'
      : 'impossible'
  counts[kind]++
  return kind
}
