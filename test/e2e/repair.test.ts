import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { CLAIM_PATH, POOL_PATH, poolNamed } from './clusterObjects.ts'
import type { Environment } from './environment.ts'
import { takeInventory } from './inventory.ts'
import { onCluster } from './onCluster.ts'
import { PATIENCE_MS, until } from './until.ts'
import { claims, whenTold } from './waits.ts'

const SICK = { type: 'Ready', status: 'False', reason: 'PLEGIsNotHealthy' } as const
/** The default policy bears ten minutes, which begin when the node is made. That of the sick nodes leaves time to make three of them sick. */
const REPAIR_POLICIES = [
  { conditionType: SICK.type, conditionStatus: SICK.status, tolerationDuration: '10m', action: 'ReplaceNode' },
  {
    ...{ conditionType: SICK.type, conditionStatus: SICK.status, reasonRegex: `^${SICK.reason}$` },
    ...{ tolerationDuration: '10s', terminationGracePeriod: '1m', action: 'ReplaceNode' },
  },
]

onCluster('ends that nobody asked for', scenarios, { appSettings: { REPAIR_POLICIES: JSON.stringify(REPAIR_POLICIES) } })

const TEN = 10
/** Longer than several looks at the cluster take. */
const SEVERAL_LOOKS_MS = 12_000

function scenarios(environment: () => Environment): void {
  const names = async (): Promise<readonly string[]> => (await claims(environment())).map(({ metadata }) => metadata.name).sort()

  /** Makes a pool of ten machines and waits until they are ready. */
  async function tenMachines(template: object = {}): Promise<readonly string[]> {
    await environment().make(POOL_PATH, poolNamed('fixed', { capacityTypes: ['on-demand'], spec: { replicas: TEN }, template }))
    await whenReady()
    return names()
  }

  async function whenReady(): Promise<void> {
    await until(async () => {
      const { claims: own, vms } = await takeInventory(environment().stack)
      const ready = own.filter(({ isReady }) => isReady).length
      return ready === TEN && own.length === TEN && vms.length === TEN ? undefined : `${ready} of ${own.length} claims are ready`
    })
  }

  async function scaleDown(): Promise<void> {
    await environment().patch(`${POOL_PATH}/fixed/scale`, { spec: { replicas: 0 } })
    await environment().settle(0)
  }

  /** Sets the condition that the node controllers of a cloud, or a kubelet in trouble, would set. */
  async function becomeSick(claim: string): Promise<void> {
    const condition = { ...SICK, message: 'PLEG was last seen active 3m ago', lastTransitionTime: new Date().toISOString() }
    await environment().send({
      method: 'PATCH',
      path: `/api/v1/nodes/joiner-${claim}/status`,
      body: { status: { conditions: [condition] } },
      contentType: 'application/strategic-merge-patch+json',
    })
  }

  describe('a node that is not ready', () => {
    it('is repaired, and three of ten are not, which is said', async () => {
      const [first = '', ...others] = await tenMachines()
      await becomeSick(first)
      await until(async () => ((await names()).includes(first) ? `nodeclaim ${first} is there` : undefined))
      await whenReady()
      expect(environment().machinesMade()).toHaveLength(TEN + 1)
      const sick = others.slice(0, 3)
      const before = await names()
      await Promise.all(sick.map(becomeSick))
      await whenTold(environment(), 'NodePool', 'fixed', 'NodeRepairBlocked', /3 of 10 nodes of nodepool fixed are unhealthy/)
      await sleep(SEVERAL_LOOKS_MS)
      expect(await names()).toEqual(before)
      await scaleDown()
    })
  })

  describe('ten machines that were made together', () => {
    /** Longer than ten machines take to boot beside other stacks. */
    const MAX_AGE_S = 120

    it('expire one by one before their maximum age, and are replaced', async () => {
      const old = await tenMachines({ expireAfter: `${MAX_AGE_S}s` })
      type Dated = { readonly metadata: { readonly name: string; readonly creationTimestamp: string; readonly deletionTimestamp?: string } }
      const born = new Map<string, number>()
      const ended = new Map<string, number>()
      await until(async () => {
        for (const { metadata } of (await environment().get<{ readonly items: readonly Dated[] }>(CLAIM_PATH))?.items ?? []) {
          if (!old.includes(metadata.name)) continue
          born.set(metadata.name, Date.parse(metadata.creationTimestamp))
          if (metadata.deletionTimestamp !== undefined) ended.set(metadata.name, Date.parse(metadata.deletionTimestamp))
        }
        const left = (await names()).filter((name) => old.includes(name))
        return left.length === 0 ? undefined : `there are ${left}`
      }, 2 * PATIENCE_MS)
      const ages = old.map((name) => ((ended.get(name) ?? Number.NaN) - (born.get(name) ?? Number.NaN)) / 1_000)
      expect(Math.min(...ages)).toBeGreaterThanOrEqual(MAX_AGE_S * 0.9 - 1)
      expect(Math.max(...ages)).toBeLessThanOrEqual(MAX_AGE_S + 3)
      expect(new Set(ages).size).toBeGreaterThan(3)
      await scaleDown()
    })
  })
}
