import { describe, expect, it } from 'vitest'
import { CLAIM_PATH, DEPLOYMENT_PATH, deployment } from './clusterObjects.ts'
import type { Environment } from './environment.ts'
import { inventoryProblem, takeInventory } from './inventory.ts'
import { onCluster } from './onCluster.ts'
import { until } from './until.ts'
import { whenSays } from './waits.ts'

onCluster('a nodeclaim that a person made', scenarios)

const ALONE = { team: 'alone' }
const PATH = `${CLAIM_PATH}/mine`

function scenarios(environment: () => Environment): void {
  /** Makes a machine without a pool, with a pod on it. */
  async function oneMachine(): Promise<void> {
    await environment().make(CLAIM_PATH, standalone())
    await whenSays(environment(), PATH, { type: 'Ready', status: 'True' })
    await environment().make(DEPLOYMENT_PATH, deployment('app-alone', 1, { nodeSelector: ALONE }))
    await environment().settle(1)
    expect((await takeInventory(environment().stack)).pods.map(({ node }) => node)).toEqual(['joiner-mine'])
  }

  /** Waits until the machine and everything of it is gone. Checks that its pod got no other machine. */
  async function whenGone(): Promise<void> {
    await until(async () => {
      const inventory = await takeInventory(environment().stack)
      return inventoryProblem({ ...inventory, pods: [] }, 0)
    })
    expect(environment().machinesMade()).toEqual(['joiner-mine'])
  }

  describe('without a nodepool', () => {
    it.each([
      ['the claim', PATH],
      ['the node', '/api/v1/nodes/joiner-mine'],
    ])('becomes a machine, whose pod is moved and which goes when %s is deleted', async (_what, path) => {
      await oneMachine()
      const node = await environment().get<{ readonly metadata: { readonly labels: object } }>('/api/v1/nodes/joiner-mine')
      expect(node?.metadata.labels).toMatchObject({
        ...ALONE,
        'karpenter.azure.com/aksnodeclass': 'default',
        'karpenter.sh/initialized': 'true',
      })
      await environment().remove(path)
      await whenGone()
      await environment().remove(`${DEPLOYMENT_PATH}/app-alone`)
    })
  })
}

function standalone(): object {
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: { name: 'mine', labels: ALONE },
    spec: {
      nodeClassRef: { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' },
      requirements: [
        { key: 'karpenter.azure.com/sku-cpu', operator: 'In', values: ['2'] },
        { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] },
      ],
    },
  }
}
