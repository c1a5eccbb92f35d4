import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectionFrom } from '../../local/cluster/client/connection.ts'
import { createKubeClient, type KubeClient } from '../../local/cluster/client/kubeClient.ts'
import { findBinaries } from '../../local/controlplane/binaries.ts'
import { type ControlPlane, startControlPlane } from '../../local/controlplane/startControlPlane.ts'
import { type Mixture, USUAL } from '../generators/randomPods.ts'
import { randomWorld } from '../generators/randomSnapshot.ts'
import { createKubeCalls, type KubeCalls } from './kubeCalls.ts'
import { NO_TTL } from './manifests.ts'
import { PLAYED_RELEASES } from './releases.ts'
import { type CaseCluster, createCaseCluster } from './rounds/caseCluster.ts'
import { withHugePages } from './rounds/hugePages.ts'
import { type Options, playCase } from './rounds/playCase.ts'
import { playMoves } from './rounds/playMoves.ts'
import { withStaticVolumes } from './rounds/staticVolumes.ts'
import { tryRefused } from './rounds/tryRefused.ts'
import { broken, count, emptied, inWords, lost, shutOut, tally } from './rounds/verdicts.ts'

const LIMIT_MS = 60 * 60_000
const CASES = Number(process.env['AGREEMENT_ROUNDS'] ?? 36)
const MOVES = Number(process.env['AGREEMENT_MOVES'] ?? 10)
/** The largest share of moved pods that may be unbound after the first try. In few worlds, FEW_LEFT pods are allowed instead. */
const MOVES_LEFT = 0.005
const FEW_LEFT = 1
/** Pods of moves fill several machines. */
const MANY: Mixture = { ...USUAL, workloads: 12 }
const FIRST_SEED = Number(process.env['AGREEMENT_ROUNDS_SEED'] ?? 1)
/** The floors hold for the first seeds and for at least 30 worlds: shares of a few worlds mean nothing. */
const SHARES_COUNT = FIRST_SEED === 1 && CASES >= 30

type Way = Options & {
  readonly name: string
  /** The least share of the planned pods that is bound in the first round. */
  readonly floor: number
}
/** Each pod carries the name of its planned node. This judges the plan, not the scheduler's preferences. */
const NOMINATED: Way = { name: 'nominated', podsFirst: false, nominate: true, floor: 0.95 }
const WAYS: readonly Way[] = [
  NOMINATED,
  { name: 'pods first', podsFirst: true, floor: 0.83 },
  { name: 'plan first', podsFirst: false, floor: 0.9 },
]

for (const { title, isBuilt, source } of PLAYED_RELEASES)
  describe.skipIf(!isBuilt)(`the real scheduler, left to itself, of the ${title}`, () => {
    const signal = AbortSignal.timeout(LIMIT_MS)
    const root = mkdtempSync(join(tmpdir(), 'joiner-rounds-'))
    let plane: ControlPlane
    let client: KubeClient
    let calls: KubeCalls
    let cluster: CaseCluster
    beforeAll(async () => {
      const binaries = await findBinaries(source)
      plane = await startControlPlane({
        binaries,
        folder: join(root, 'plane'),
        // No kubelet renews the leases of the nodes here: the grace period keeps the nodes ready. No taint evicts a running pod.
        controllerManagerFlags: ['--node-monitor-grace-period=24h', '--controllers=-taint-eviction-controller', NO_TTL],
      })
      client = createKubeClient(connectionFrom({ kubeconfig: plane.kubeconfigFile }))
      calls = createKubeCalls(client, signal)
      cluster = createCaseCluster(calls, signal)
      await cluster.prepare()
    }, LIMIT_MS)
    afterAll(async () => {
      client.close()
      await plane.close()
      rmSync(root, { recursive: true, force: true })
    }, LIMIT_MS)

    // One world after another: a spread that ignores node affinity, or a namespace selector that selects everything, would see the other worlds.
    it(`gives the pods of ${CASES} random worlds what was planned for them`, { timeout: LIMIT_MS }, async () => {
      const tallies = new Map(WAYS.map((way) => [way, tally()]))
      const findings: string[] = []
      for (let seed = FIRST_SEED; seed < FIRST_SEED + CASES; seed++) {
        const way = WAYS[seed % WAYS.length] ?? NOMINATED
        const world = withHugePages(seed, withStaticVolumes(seed, randomWorld(seed)))
        const played = await playCase(cluster, world, way)
        const trials = await tryRefused(cluster, played, [...world.waiting, ...world.bound])
        await cluster.clear()
        count(tallies.get(way), played, trials)
        const found = [...lost(played), ...broken(played), ...trials.onStanding, ...trials.onPossible]
        const shares = played.rounds.map(({ planned, bound }) => `${bound.length}/${planned.length}`).join(' ')
        console.log([`seed ${seed}, ${way.name}: ${shares}`, ...found, ...shutOut(played), ...emptied(played)].join('\n  '))
        findings.push(...found.map((each) => `seed ${seed}: ${each}`))
      }
      for (const [{ name }, sums] of tallies) console.log(`${name}: ${inWords(sums)}`)
      expect(findings).toEqual([])
      for (const [{ name, floor }, { planned, first }] of SHARES_COUNT ? tallies : [])
        expect(first, `${name}, of ${planned}`).toBeGreaterThanOrEqual(planned * floor)
    })

    it(`binds the pods of ${MOVES} waves of moves, drained while their nodes still stand`, { timeout: LIMIT_MS }, async () => {
      const sums = { nodes: 0, machines: 0, moved: 0, left: 0 }
      const wronged: string[] = []
      for (let seed = FIRST_SEED; seed < FIRST_SEED + MOVES; seed++) {
        const played = await playMoves(cluster, calls, randomWorld(seed, MANY))
        await cluster.clear()
        const { nodes, machines, moved, left } = played
        console.log(`seed ${seed}: ${nodes.length} nodes to ${machines.length}, ${moved.length - left.size}/${moved.length}`, ...left)
        for (const name of ['nodes', 'machines', 'moved'] as const) sums[name] += played[name].length
        sums.left += left.size
        wronged.push(...played.wronged.map((each) => `seed ${seed}: ${each}`))
      }
      console.log(`moves: ${JSON.stringify(sums)}`)
      expect(wronged).toEqual([])
      expect(sums.moved).toBeGreaterThan(0)
      expect(sums.left).toBeLessThanOrEqual(Math.max(FEW_LEFT, sums.moved * MOVES_LEFT))
    })
  })
