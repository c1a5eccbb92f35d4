import { describe, expect, it } from 'vitest'
import { createBootGate } from './bootGate.ts'
import { BUDGET_PATH, CLAIM_PATH, container } from './clusterObjects.ts'
import type { Environment } from './environment.ts'
import { handMadeMove } from './handMadeMove.ts'
import { takeInventory } from './inventory.ts'
import { onCluster } from './onCluster.ts'
import { until } from './until.ts'
import { claims, eventsOn, nodes, whenTold } from './waits.ts'

const gate = createBootGate()

onCluster('moves', scenarios, { booting: gate.booting })

const TAINT = { key: 'karpenter.sh/disrupted', effect: 'NoSchedule' }
const POD_PATH = '/api/v1/namespaces/default/pods'

const PROTECTED = (node: string) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'late', namespace: 'default', annotations: { 'karpenter.sh/do-not-disrupt': 'true' } },
  spec: { nodeName: node, terminationGracePeriodSeconds: 0, tolerations: [{ operator: 'Exists' }], containers: [container('10m')] },
})

const BUDGET = {
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name: 'app', namespace: 'default' },
  spec: { minAvailable: 1, selector: { matchLabels: { app: 'app' } } },
}

function scenarios(environment: () => Environment): void {
  async function running(count: number): Promise<readonly string[]> {
    await environment().scale('app', count)
    await environment().settle(count)
    return (await claims(environment())).map(({ metadata }) => metadata.name)
  }

  /** Waits until no node has the disruption taint and no claim has a disruption reason. */
  async function whenOpen(): Promise<void> {
    await until(async () => {
      const closed = (await nodes(environment())).filter(({ spec }) => spec?.taints?.some(({ key }) => key === TAINT.key))
      const marked = (await claims(environment())).filter(({ status }) =>
        status?.conditions?.some(({ type }) => type === 'DisruptionReason'),
      )
      return closed.length + marked.length === 0 ? undefined : `${closed.length} nodes are closed, ${marked.length} claims are marked`
    })
  }

  /** Waits until the budget at the path allows no disruptions. A pod counts from its creation on. */
  async function whenInTheWay(path: string): Promise<void> {
    await until(async () => {
      const made = await environment().get<{ readonly kind: string; readonly status?: { readonly disruptionsAllowed?: number } }>(path)
      return made?.kind === 'Pod' || made?.status?.disruptionsAllowed === 0 ? undefined : `${path} does not count`
    })
  }

  describe('a move with replacements', () => {
    it('brings the pods to the new nodes, and ends the old ones', async () => {
      const old = await running(2)
      const names = await handMadeMove(environment())
      await until(async () => {
        const there = (await claims(environment())).map(({ metadata }) => metadata.name)
        return there.some((name) => old.includes(name)) ? `there are ${there}` : undefined
      })
      await environment().settle(2)
      expect((await claims(environment())).map(({ metadata }) => metadata.name).sort()).toEqual([...names].sort())
      expect(environment().machinesMade()).toHaveLength(4)
      for (const name of old) {
        const reasons = (await eventsOn(environment(), 'NodeClaim', name)).map(({ reason }) => reason)
        expect(reasons).toContain('DisruptionTerminating')
      }
    })

    it('DS-06 DD-21 is undone when no machine can come: the node is open again, and its pod stays', async () => {
      const old = await running(1)
      const { pods } = await takeInventory(environment().stack)
      await handMadeMove(environment(), [{ key: 'node.kubernetes.io/instance-type', operator: 'In', values: ['Standard_Nothing_v9'] }])
      await environment().whenSaid(/move .* failed: /)
      await whenOpen()
      await environment().settle(1)
      expect((await takeInventory(environment().stack)).pods).toEqual(pods)
      expect((await claims(environment())).map(({ metadata }) => metadata.name)).toEqual(old)
    })

    it.each([
      ['a protected pod that slips in', POD_PATH, (node: string) => PROTECTED(node)],
      ['a disruption budget that closes', BUDGET_PATH, () => BUDGET],
    ])('waits for %s, says so, and goes on when nothing is in the way', async (_what, path, make) => {
      const [old = ''] = await running(1)
      gate.close()
      await handMadeMove(environment())
      // The replacement is made after the node was tainted and checked. It is held until the obstacle exists.
      const replacement = await gate.held()
      gate.open()
      const body = make(`joiner-${old}`)
      await environment().make(path, body)
      await whenInTheWay(`${path}/${body.metadata.name}`)
      gate.boot(replacement)
      await whenTold(environment(), 'NodeClaim', old, 'DisruptionBlocked', /pod default\//)
      expect((await claims(environment())).map(({ metadata }) => metadata.name)).toContain(old)
      await environment().remove(`${path}/${body.metadata.name}`)
      await until(async () => ((await environment().get(`${CLAIM_PATH}/${old}`)) === undefined ? undefined : `${old} is there`))
      await environment().settle(1)
    })
  })

  it('marks that nobody stands for are taken off', async () => {
    const [name = ''] = await running(1)
    await environment().patch(`/api/v1/nodes/joiner-${name}`, { spec: { taints: [TAINT] } })
    await whenOpen()
    await environment().settle(1)
    expect((await claims(environment())).map(({ metadata }) => metadata.name)).toEqual([name])
  })
}
