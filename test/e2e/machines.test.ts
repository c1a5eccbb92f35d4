import { describe, expect, it } from 'vitest'
import { startInformer } from '../../local/cluster/client/informer.ts'
import { NODE_CLAIMS } from '../../local/demo/claimObject.ts'
import { armCall, vmPath } from '../azure/armCall.ts'
import { CLAIM_PATH } from './clusterObjects.ts'
import type { Environment } from './environment.ts'
import { takeInventory } from './inventory.ts'
import { onCluster } from './onCluster.ts'
import { TEST_TIMEOUT_MS, until } from './until.ts'
import { eventsOn, someClaim, whenSays, whenTold } from './waits.ts'

/** The number of next machines that boot with each defect. */
const wrong = { isDead: 0, isWithoutNetwork: 0 }

function isNext(fault: keyof typeof wrong): boolean {
  if (wrong[fault] === 0) return false
  wrong[fault] -= 1
  return true
}

onCluster('machines', scenarios, {
  // Garbage collection runs often and has a short grace period.
  appSettings: { REGISTRATION_TIMEOUT: '25s', GC_SCHEDULE: '*/2 * * * * *', LAUNCH_LOCK_DURATION: '10s', GC_GRACE_DURATION: '10s' },
  hasNetwork: () => !isNext('isWithoutNetwork'),
  booting: (machines) => ({
    listen: ({ started, stopped }) =>
      machines.listen({
        started: (machine) => isNext('isDead') || started(machine),
        stopped,
      }),
  }),
})

function scenarios(environment: () => Environment): void {
  describe('a machine whose kubelet never registers', () => {
    it('is replaced after the time it has, and its claim says why', async () => {
      wrong.isDead = 1
      const said = new Set<string>()
      const informer = startInformer(NODE_CLAIMS, { client: environment().stack.client })
      informer.onChange((now) => {
        for (const { type, status, reason } of now?.status?.conditions ?? []) said.add(`${type} ${status} ${reason}`)
      })
      try {
        await environment().scale('app', 1)
        await until(() => (said.has('Registered Unknown RegistrationTimeout') ? undefined : `the claim said ${[...said]}`))
        await environment().settle(1)
        expect(environment().machinesMade()).toHaveLength(2)
      } finally {
        informer.close()
      }
    })
  })

  describe('a node that never becomes ready', () => {
    it('is replaced after the time it has, and its claim says why', async () => {
      wrong.isWithoutNetwork = 1
      await environment().scale('app', 1)
      const { name } = (await someClaim(environment())).metadata
      const path = `${CLAIM_PATH}/${name}`
      await whenSays(environment(), path, { type: 'Registered', status: 'True' })
      await whenSays(environment(), path, { type: 'Initialized', status: 'Unknown', reason: 'NodeNotReady' })
      await whenTold(environment(), 'NodeClaim', name, 'InitializationTimeout', /was not ready 25 seconds after it joined/)
      await environment().settle(1)
      expect(environment().machinesMade()).toHaveLength(2)
    })
  })

  describe('a machine that comes up as it should', () => {
    it('tells the stages of its life on its claim, once each', async () => {
      await environment().scale('app', 1)
      await environment().settle(1)
      const { name } = (await someClaim(environment())).metadata
      await whenTold(environment(), 'NodeClaim', name, 'Initialized', new RegExp(`node joiner-${name} is ready for pods`))
      const told = await eventsOn(environment(), 'NodeClaim', name)
      expect(told.map(({ reason, count }) => `${reason} ${count}`).sort()).toEqual(['Initialized 1', 'Launched 1', 'Registered 1'])
      expect(told.find(({ reason }) => reason === 'Launched')?.message).toMatch(
        /^machine joiner-.*: Standard_\S+, \S+, zone \S+, \$[0-9.]+( \+ disk \$[0-9.]+)?\/h$/,
      )
      await whenSays(environment(), `${CLAIM_PATH}/${name}`, { type: 'ConsistentStateFound', status: 'True' })
    })
  })

  describe('what is deleted behind our back', () => {
    /** Makes one pod on one machine. Returns the name of the claim. */
    async function oneNode(): Promise<string> {
      await environment().scale('app', 1)
      await environment().settle(1)
      return (await someClaim(environment())).metadata.name
    }

    it.each<[string, (name: string) => Promise<unknown>]>([
      ['a machine', (name) => armCall(environment().stack.azure, 'DELETE', vmPath(environment().stack.azure, `joiner-${name}`))],
      [
        'a node, with its finalizer',
        async (name) => {
          await environment().remove(`/api/v1/nodes/joiner-${name}`)
          await environment().patch(`/api/v1/nodes/joiner-${name}`, { metadata: { finalizers: null } })
        },
      ],
      [
        'a nodeclaim, with its finalizer',
        async (name) => {
          const path = `${CLAIM_PATH}/${name}`
          await environment().patch(path, { metadata: { finalizers: null } })
          await environment().remove(path)
          // The app may add the finalizer again in between.
          for (let n = 0; n < 20 && (await environment().get(path)) !== undefined; n++)
            await environment()
              .patch(path, { metadata: { finalizers: null } })
              .catch(() => undefined)
          const { stack } = environment()
          await until(async () => {
            // Each sweep advances the removal of the machine by one step.
            await stack.functions.runTimer('timer')
            const { vms, nodes } = await takeInventory(stack)
            return [...vms, ...nodes].includes(`joiner-${name}`) ? `machine or node joiner-${name} is there` : undefined
          })
        },
      ],
    ])(
      'leaves nothing, and its pod runs elsewhere: %s',
      async (_name, strike) => {
        const name = await oneNode()
        await strike(name)
        await until(async () => {
          const { claims } = await takeInventory(environment().stack)
          return claims.some((claim) => claim.name === name) ? `nodeclaim ${name} is there` : undefined
        })
        await environment().settle(1)
        expect(environment().machinesMade()).toHaveLength(2)
      },
      TEST_TIMEOUT_MS,
    )
  })
}
