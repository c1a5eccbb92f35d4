import { describe, expect, it } from 'vitest'
import { takeCensus, untidiness } from './census.ts'
import { CLAIM_PATH, DEPLOYMENT_PATH, deployment } from './clusterObjects.ts'
import { onEachCluster } from './onEachCluster.ts'
import { until } from './until.ts'
import { whenSays } from './waits.ts'
import type { World } from './world.ts'

onEachCluster('a nodeclaim that a person made', scenarios)

const ALONE = { team: 'alone' }
const PATH = `${CLAIM_PATH}/mine`

function scenarios(world: () => World): void {
  /** A machine of no pool, with a pod on it. */
  async function oneMachine(): Promise<void> {
    await world().make(CLAIM_PATH, standalone())
    await whenSays(world(), PATH, { type: 'Ready', status: 'True' })
    await world().make(DEPLOYMENT_PATH, deployment('app-alone', 1, { nodeSelector: ALONE }))
    await world().settle(1)
    expect((await takeCensus(world().stack)).pods.map(({ node }) => node)).toEqual(['joiner-mine'])
  }

  /** The machine is gone with all that belonged to it, and nobody made another for its pod. */
  async function whenGone(): Promise<void> {
    await until(async () => {
      const census = await takeCensus(world().stack)
      return untidiness({ ...census, pods: [] }, 0)
    })
    expect(world().machinesMade()).toEqual(['joiner-mine'])
  }

  describe('without a nodepool', () => {
    it.each([
      ['the claim', PATH],
      ['the node', '/api/v1/nodes/joiner-mine'],
    ])('becomes a machine, whose pod is moved and which goes when %s is deleted', async (_what, path) => {
      await oneMachine()
      const node = await world().get<{ readonly metadata: { readonly labels: object } }>('/api/v1/nodes/joiner-mine')
      expect(node?.metadata.labels).toMatchObject({
        ...ALONE,
        'karpenter.azure.com/aksnodeclass': 'default',
        'karpenter.sh/initialized': 'true',
      })
      await world().remove(path)
      await whenGone()
      await world().remove(`${DEPLOYMENT_PATH}/app-alone`)
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
