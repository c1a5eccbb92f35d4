import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createBootGate } from './bootGate.ts'
import { BUDGET_PATH, container, DEPLOYMENT_PATH, deployment, POOL_PATH, type PoolOptions, poolNamed } from './clusterObjects.ts'
import type { Environment } from './environment.ts'
import { onCluster } from './onCluster.ts'
import { until } from './until.ts'
import { type Claim, claims, nodes, whenTold } from './waits.ts'

const gate = createBootGate()

onCluster('nodes that are moved by the plan', scenarios, { booting: gate.booting })

const BLUE = { team: 'blue' }
const PATH = `${POOL_PATH}/blue`
const CPU = 'karpenter.azure.com/sku-cpu'
const SIZE = 'node.kubernetes.io/instance-type'
const ON_DEMAND = { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] }
/** Longer than several plans take. Moves are planned every ten seconds. */
const SEVERAL_PLANS_MS = 12_000
const FREE = [{ nodes: '100%' }]

function scenarios(environment: () => Environment): void {
  /** Makes a pool whose machines stay, even if empty, until `consolidate` is called. */
  async function makePool(cpus: readonly string[], options: PoolOptions = {}): Promise<void> {
    const disruption = { consolidationPolicy: 'WhenEmptyOrUnderutilized', consolidateAfter: 'Never', budgets: FREE }
    await environment().make(
      POOL_PATH,
      poolNamed('blue', { cpus, labels: BLUE, capacityTypes: ['on-demand'], spec: { disruption }, ...options }),
    )
  }

  const run = (name: string, cpu: string, pod: object = {}, replicas = 1): Promise<void> =>
    environment().make(DEPLOYMENT_PATH, deployment(name, replicas, { nodeSelector: BLUE, containers: [container(cpu)], ...pod }))

  const setPool = (spec: object): Promise<void> => environment().patch(PATH, { spec })

  const names = async (): Promise<readonly string[]> => (await claims(environment())).map(({ metadata }) => metadata.name)

  /** Allows disruptions in the pool and sets the sizes of its new machines. */
  const consolidate = (cpus: readonly string[]): Promise<void> =>
    setPool({
      disruption: { consolidateAfter: '0s' },
      template: { spec: { requirements: [{ key: CPU, operator: 'In', values: cpus }, ON_DEMAND] } },
    })

  async function whenGone(old: readonly string[]): Promise<void> {
    await until(async () => {
      const left = (await names()).filter((name) => old.includes(name))
      return left.length === 0 ? undefined : `there are ${left}`
    })
  }

  describe('consolidation', () => {
    it('takes a node away whose pod fits on another, and makes none', async () => {
      await makePool(['4'])
      await run('wide', '3500m')
      await environment().settle(1)
      const [kept] = await names()
      await run('low', '500m')
      await environment().settle(2)
      const [gone = ''] = (await names()).filter((name) => name !== kept)
      await run('mid', '1500m', { nodeSelector: { 'kubernetes.io/hostname': `joiner-${kept}` } })
      await environment().remove(`${DEPLOYMENT_PATH}/wide`)
      await environment().settle(2)
      await consolidate(['4'])
      await whenGone([gone])
      await environment().settle(2)
      expect(await names()).toEqual([kept])
      expect(environment().machinesMade()).toHaveLength(2)
    })

    it('replaces a node by a cheaper one, which is ready before the old one goes', async () => {
      await makePool(['8'])
      await run('low', '500m')
      await environment().settle(1)
      const old = await names()
      await consolidate(['2', '8'])
      await whenGone(old)
      await environment().settle(1)
      const [now] = await nodes(environment())
      expect(now?.metadata.labels?.[SIZE]).toMatch(/D2|E2|B2|F2/)
      expect(environment().machinesMade()).toHaveLength(2)
    })

    it('leaves a node open whose pod a budget can never let go, says so, and takes the node once the budget is gone (F30)', async () => {
      await makePool(['8'])
      await run('low', '500m')
      await environment().settle(1)
      const [old = ''] = await names()
      await environment().make(BUDGET_PATH, {
        apiVersion: 'policy/v1',
        kind: 'PodDisruptionBudget',
        metadata: { name: 'low' },
        spec: { minAvailable: 1, selector: { matchLabels: { app: 'low' } } },
      })
      await consolidate(['2', '8'])
      await whenTold(environment(), 'NodeClaim', old, 'DisruptionBlocked', /budget default\/low can never allow the eviction of pod/)
      await sleep(SEVERAL_PLANS_MS)
      const [node] = await nodes(environment())
      expect(node?.spec?.taints ?? []).toEqual([])
      expect(environment().machinesMade()).toHaveLength(1)
      await environment().remove(`${BUDGET_PATH}/low`)
      await whenGone([old])
      await environment().settle(1)
    })

    it('puts the pods of three nodes on one, which costs less', async () => {
      await makePool(['8'])
      await run('half', '4500m', {}, 3)
      await environment().settle(3)
      const old = await names()
      expect(old).toHaveLength(3)
      await consolidate(['8', '16'])
      await whenGone(old)
      await environment().settle(3)
      expect(await names()).toHaveLength(1)
      expect(environment().machinesMade()).toHaveLength(4)
    })
  })

  describe('drift', () => {
    const drift = (value: string): Promise<void> => setPool({ template: { metadata: { labels: { ...BLUE, version: value } } } })

    it('stops at a budget that closes in the middle of a wave, and goes on when the budget opens', async () => {
      await makePool(['2'])
      await setPool({ disruption: { budgets: [{ nodes: '1' }] } })
      await run('app', '1500m', {}, 2)
      await environment().settle(2)
      const old = await names()
      gate.close()
      await drift('two')
      const first = await gate.held()
      gate.open()
      await setPool({ disruption: { budgets: [{ nodes: '0' }] } })
      gate.boot(first)
      const left = async (): Promise<readonly string[]> => (await names()).filter((name) => old.includes(name))
      await until(async () => ((await left()).length === 1 ? undefined : `there are ${await left()}`))
      const [held = ''] = await left()
      await whenTold(environment(), 'NodeClaim', held, 'DisruptionBlocked', /allows no more disruptions for reason Drifted/)
      await sleep(SEVERAL_PLANS_MS)
      expect(await left()).toEqual([held])
      await setPool({ disruption: { budgets: FREE } })
      await whenGone(old)
      await environment().settle(2)
      expect((await claims(environment())).map(versionOf)).toEqual(['two', 'two'])
      expect(environment().machinesMade()).toHaveLength(4)
    })
  })

  it('E2E-08 an empty node stays while the window of a budget holds it, and goes when the window ends', async () => {
    await makePool(['2'])
    await run('app', '1500m')
    await environment().settle(1)
    const [name = ''] = await names()
    const now = new Date(Date.now())
    const schedule = `${now.getUTCMinutes()} ${now.getUTCHours()} * * *`
    await setPool({ disruption: { consolidateAfter: '0s', budgets: [{ nodes: '0', schedule, duration: '2m' }] } })
    await environment().remove(`${DEPLOYMENT_PATH}/app`)
    await whenTold(environment(), 'NodeClaim', name, 'DisruptionBlocked', /schedule/)
    expect(await names()).toEqual([name])
    await whenGone([name])
    const start = Math.floor(now.getTime() / 60_000) * 60_000
    expect(Date.now()).toBeGreaterThanOrEqual(start + 120_000)
    await environment().settle(0)
  })
}

function versionOf({ metadata }: Claim): string | undefined {
  return metadata.labels?.['version']
}
