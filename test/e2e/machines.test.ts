import { describe, expect, it } from 'vitest'
import { startInformer } from '../../local/cluster/client/informer.ts'
import { NODE_CLAIMS } from '../../local/story/claimObject.ts'
import { armCall, vmPath } from '../azure/armCall.ts'
import { takeCensus } from './census.ts'
import { CLAIM_PATH } from './clusterObjects.ts'
import { onEachCluster } from './onEachCluster.ts'
import { TEST_TIMEOUT_MS, until } from './until.ts'
import { eventsOn, someClaim, whenSays, whenTold } from './waits.ts'
import type { World } from './world.ts'

/** How many of the next machines that boot have this wrong with them. */
const wrong = { isDead: 0, isWithoutNetwork: 0 }

function isNext(fault: keyof typeof wrong): boolean {
  if (wrong[fault] === 0) return false
  wrong[fault] -= 1
  return true
}

onEachCluster('machines', scenarios, {
  appSettings: { REGISTRATION_TIMEOUT: '25s' },
  hasNetwork: () => !isNext('isWithoutNetwork'),
  booting: (machines) => ({
    listen: ({ started, stopped }) =>
      machines.listen({
        started: (machine) => isNext('isDead') || started(machine),
        stopped,
      }),
  }),
})

function scenarios(world: () => World): void {
  describe('a machine whose kubelet never registers', () => {
    it('is replaced after the time it has, and its claim says why', async () => {
      wrong.isDead = 1
      const said = new Set<string>()
      const informer = startInformer(NODE_CLAIMS, { client: world().stack.client })
      informer.onChange((now) => {
        for (const { type, status, reason } of now?.status?.conditions ?? []) said.add(`${type} ${status} ${reason}`)
      })
      try {
        await world().scale('app', 1)
        await until(() => (said.has('Registered Unknown RegistrationTimeout') ? undefined : `the claim said ${[...said]}`))
        await world().settle(1)
        expect(world().machinesMade()).toHaveLength(2)
      } finally {
        informer.close()
      }
    })
  })

  describe('a node that never becomes ready', () => {
    it('is replaced after the time it has, and its claim says why', async () => {
      wrong.isWithoutNetwork = 1
      await world().scale('app', 1)
      const { name } = (await someClaim(world())).metadata
      const path = `${CLAIM_PATH}/${name}`
      await whenSays(world(), path, { type: 'Registered', status: 'True' })
      await whenSays(world(), path, { type: 'Initialized', status: 'Unknown', reason: 'NodeNotReady' })
      await whenTold(world(), 'NodeClaim', name, 'InitializationTimeout', /was not ready 25 seconds after it joined/)
      await world().settle(1)
      expect(world().machinesMade()).toHaveLength(2)
    })
  })

  describe('a machine that comes up as it should', () => {
    it('tells the stages of its life on its claim, once each', async () => {
      await world().scale('app', 1)
      await world().settle(1)
      const { name } = (await someClaim(world())).metadata
      await whenTold(world(), 'NodeClaim', name, 'Initialized', new RegExp(`node joiner-${name} is ready for pods`))
      const told = await eventsOn(world(), 'NodeClaim', name)
      expect(told.map(({ reason, count }) => `${reason} ${count}`).sort()).toEqual(['Initialized 1', 'Launched 1', 'Registered 1'])
      expect(told.find(({ reason }) => reason === 'Launched')?.message).toMatch(/^machine joiner-.*: Standard_\S+, \S+, zone \S+$/)
      await whenSays(world(), `${CLAIM_PATH}/${name}`, { type: 'ConsistentStateFound', status: 'True' })
    })
  })

  describe('what is deleted behind our back', () => {
    /** One pod on one machine; the name of its claim. */
    async function oneNode(): Promise<string> {
      await world().scale('app', 1)
      await world().settle(1)
      return (await someClaim(world())).metadata.name
    }

    it.each<[string, (name: string) => Promise<unknown>]>([
      ['a machine', (name) => armCall(world().stack.azure, 'DELETE', vmPath(world().stack.azure, `joiner-${name}`))],
      [
        'a node, with its finalizer',
        async (name) => {
          await world().remove(`/api/v1/nodes/joiner-${name}`)
          await world().patch(`/api/v1/nodes/joiner-${name}`, { metadata: { finalizers: null } })
        },
      ],
    ])(
      'leaves nothing, and its pod runs elsewhere: %s',
      async (_name, strike) => {
        const name = await oneNode()
        await strike(name)
        await until(async () => {
          const { claims } = await takeCensus(world().stack)
          return claims.some((claim) => claim.name === name) ? `nodeclaim ${name} is there` : undefined
        })
        await world().settle(1)
        expect(world().machinesMade()).toHaveLength(2)
      },
      TEST_TIMEOUT_MS,
    )
  })
}
