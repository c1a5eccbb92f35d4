import { describe, expect, it } from 'vitest'
import {
  DEFAULT_MACHINE_NAMES,
  instanceNameOf,
  type MachineNames,
  type NodeClaimName,
  nodeClaimName,
  vmSizeName,
  zoneName,
} from '../../shared/model/ids.ts'
import type { LaunchCandidate, LaunchChoice } from '../../shared/model/instance.ts'
import { durationMs } from '../../shared/model/units.ts'
import type { CloudProvider, LaunchRequest } from '../../shared/ports/cloudProvider.ts'
import { instanceType } from '../builders/instanceType.ts'
import { nodeClaim } from '../builders/nodeClaim.ts'
import { nodeClass } from '../builders/nodeClass.ts'
import { abortedSignal, type Closing, fresh, SIGNAL, valueOf } from './harness.ts'

/** An empty subscription that has `Standard_D4as_v6` in zone 1 of its region, on demand. */
export type CloudProviderHarness = Closing & {
  readonly cloud: CloudProvider
  /** The same subscription, used by an earlier version that named its machines with `EARLIER_NAMES`. */
  readonly earlier: CloudProvider
  /** The zone label of the launches, for example `eastus-1`. */
  readonly zone: string
  /** Completes all operations that Azure has begun: boots and deletions. */
  readonly settle: () => Promise<void>
  /** Makes Azure refuse every later launch for lack of capacity. */
  readonly refuse: () => void | Promise<void>
  /** Makes a network interface of the claim, without a machine. */
  readonly makeOrphanInterface: (claim: NodeClaimName) => Promise<void>
}

export const EARLIER_NAMES: MachineNames = { prefix: 'aks-', former: [] }

const CLAIM = nodeClaimName('default-aaaaa')
const OTHER = nodeClaimName('default-bbbbb')
const TOKEN = 'abcdef.0123456789abcdef'

export function describeCloudProvider(name: string, make: () => Promise<CloudProviderHarness> | CloudProviderHarness): void {
  function request(zone: string, claim: NodeClaimName = CLAIM): LaunchRequest & { readonly asked: () => number } {
    const choice: LaunchChoice = { size: vmSizeName('Standard_D4as_v6'), zone: zoneName(zone), capacityType: 'on-demand' }
    const candidate: LaunchCandidate = { choice, instanceType: instanceType({ zones: [zone] }), labels: {} }
    let asked = 0
    const bootstrapToken = async (): Promise<string> => {
      asked += 1
      return TOKEN
    }
    const made = nodeClaim({ name: claim, stage: 'created' })
    return { claim: made, nodeClass: nodeClass(), candidate, bootstrapToken, within: durationMs(30_000), asked: () => asked }
  }

  describe(`${name} as a cloud provider`, () => {
    it('has no machine at first', async () => {
      const { cloud } = await fresh(make)
      expect(await cloud.get(CLAIM, SIGNAL)).toBeUndefined()
      expect(await cloud.list(SIGNAL)).toEqual([])
      expect(await cloud.listOrphanInterfaces(SIGNAL)).toEqual([])
    })

    it('makes the machine of a claim, named after it, as it was asked for', async () => {
      const { cloud, zone, settle } = await fresh(make)
      const made = valueOf(await cloud.launch(request(zone), SIGNAL))
      expect(made).toMatchObject({
        name: instanceNameOf(CLAIM, DEFAULT_MACHINE_NAMES),
        claim: CLAIM,
        size: 'Standard_D4as_v6',
        zone,
        capacityType: 'on-demand',
        nodePool: 'default',
      })
      expect(made.providerId).toMatch(
        /^azure:\/\/\/subscriptions\/[^/]+\/resourceGroups\/[^/A-Z]+\/providers\/Microsoft\.Compute\/virtualMachines\/joiner-default-aaaaa$/,
      )
      expect(['creating', 'running']).toContain(made.state.kind)
      await settle()
      const running = await cloud.get(CLAIM, SIGNAL)
      expect(running).toMatchObject({ providerId: made.providerId, state: { kind: 'running' } })
      expect(await cloud.list(SIGNAL)).toEqual([running])
      expect(await cloud.listOrphanInterfaces(SIGNAL)).toEqual([])
    })

    it('finds the machine it made before, without a new token', async () => {
      const { cloud, zone } = await fresh(make)
      const first = valueOf(await cloud.launch(request(zone), SIGNAL))
      const again = request(zone)
      expect(valueOf(await cloud.launch(again, SIGNAL)).providerId).toBe(first.providerId)
      expect(again.asked()).toBe(0)
      expect(await cloud.list(SIGNAL)).toHaveLength(1)
    })

    it('makes one machine of two requests at once', async () => {
      const { cloud, zone, settle } = await fresh(make)
      const [first, second] = await Promise.all([cloud.launch(request(zone), SIGNAL), cloud.launch(request(zone), SIGNAL)])
      expect(valueOf(first).providerId).toBe(valueOf(second).providerId)
      await settle()
      expect(await cloud.list(SIGNAL)).toHaveLength(1)
    })

    it('leaves no more than an interface when Azure refuses, which ends with the claim, and says what the refusal blocks', async () => {
      const { cloud, zone, refuse, settle } = await fresh(make)
      await refuse()
      const refused = await cloud.launch(request(zone), SIGNAL)
      if (refused.ok) expect.fail('it was not refused')
      expect(refused.error.then).toBe('next')
      expect(refused.error.problem.code).toMatch(/^AZURE\./)
      expect(refused.error.unavailable.length).toBeGreaterThan(0)
      await settle()
      expect(await cloud.get(CLAIM, SIGNAL)).toBeUndefined()
      expect((await cloud.listOrphanInterfaces(SIGNAL)).map(({ claim }) => claim)).toEqual([CLAIM])
      await cloud.terminate(CLAIM, SIGNAL)
      await settle()
      expect(await cloud.terminate(CLAIM, SIGNAL)).toBe('gone')
      expect(await cloud.listOrphanInterfaces(SIGNAL)).toEqual([])
    })

    it('ends a machine and its interface', async () => {
      const { cloud, zone, settle } = await fresh(make)
      await cloud.launch(request(zone), SIGNAL)
      await cloud.launch(request(zone, OTHER), SIGNAL)
      await settle()
      expect(await cloud.terminate(CLAIM, SIGNAL)).toBe('terminating')
      expect([undefined, 'deleting']).toContain((await cloud.get(CLAIM, SIGNAL))?.state.kind)
      await settle()
      expect(await cloud.terminate(CLAIM, SIGNAL)).toBe('gone')
      expect(await cloud.get(CLAIM, SIGNAL)).toBeUndefined()
      expect(await cloud.listOrphanInterfaces(SIGNAL)).toEqual([])
      expect((await cloud.list(SIGNAL)).map((instance) => instance.claim)).toEqual([OTHER])
    })

    it('knows the machines of an earlier version under their names, and makes none of such a name', async () => {
      const { cloud, earlier, zone, settle } = await fresh(make)
      const old = valueOf(await earlier.launch(request(zone), SIGNAL))
      expect(old.name).toBe(instanceNameOf(CLAIM, EARLIER_NAMES))
      const again = request(zone)
      expect(valueOf(await cloud.launch(again, SIGNAL))).toMatchObject({ name: old.name, claim: CLAIM, providerId: old.providerId })
      expect(again.asked()).toBe(0)
      expect(valueOf(await cloud.launch(request(zone, OTHER), SIGNAL)).name).toBe(instanceNameOf(OTHER, DEFAULT_MACHINE_NAMES))
      await settle()
      expect(await cloud.get(CLAIM, SIGNAL)).toMatchObject({ name: old.name })
      expect((await cloud.list(SIGNAL)).map((instance) => instance.claim).sort()).toEqual([CLAIM, OTHER])
      expect(await cloud.terminate(CLAIM, SIGNAL)).toBe('terminating')
      await settle()
      expect(await cloud.terminate(CLAIM, SIGNAL)).toBe('gone')
      expect((await cloud.list(SIGNAL)).map((instance) => instance.claim)).toEqual([OTHER])
      expect(await cloud.listOrphanInterfaces(SIGNAL)).toEqual([])
    })

    it('restarts a machine, which stays the same one, each time that it is asked', async () => {
      const { cloud, zone, settle } = await fresh(make)
      const { providerId } = valueOf(await cloud.launch(request(zone), SIGNAL))
      await settle()
      expect(await cloud.restartProblem(SIGNAL)).toBeUndefined()
      for (let time = 0; time < 2; time++) expect(await cloud.restart(CLAIM, SIGNAL)).toEqual({ ok: true, value: 'restarting' })
      await settle()
      expect(await cloud.get(CLAIM, SIGNAL)).toMatchObject({ providerId, state: { kind: 'running' } })
      expect(await cloud.restart(OTHER, SIGNAL)).toEqual({ ok: true, value: 'gone' })
      expect(await cloud.list(SIGNAL)).toHaveLength(1)
    })

    it('does not restart a machine that is being deleted', async () => {
      const { cloud, zone, settle } = await fresh(make)
      await cloud.launch(request(zone), SIGNAL)
      await settle()
      await cloud.terminate(CLAIM, SIGNAL)
      const refused = await cloud.restart(CLAIM, SIGNAL)
      expect(refused.ok ? refused.value : refused.error.code).toMatch(/^(gone|AZURE.FAILED)$/)
    })

    it('calls gone what never was', async () => {
      const { cloud } = await fresh(make)
      expect(await cloud.terminate(CLAIM, SIGNAL)).toBe('gone')
    })

    it('ends an interface that lost its machine', async () => {
      const { cloud, makeOrphanInterface, settle } = await fresh(make)
      await makeOrphanInterface(CLAIM)
      const orphans = await cloud.listOrphanInterfaces(SIGNAL)
      expect(orphans.map((orphan) => orphan.claim)).toEqual([CLAIM])
      const [orphan] = orphans
      if (orphan !== undefined) await cloud.deleteInterface(orphan.name, SIGNAL)
      await settle()
      expect(await cloud.listOrphanInterfaces(SIGNAL)).toEqual([])
      if (orphan !== undefined) await cloud.deleteInterface(orphan.name, SIGNAL)
    })

    it('takes the interface of a launch that died half way', async () => {
      const { cloud, zone, makeOrphanInterface, settle } = await fresh(make)
      await makeOrphanInterface(CLAIM)
      expect(valueOf(await cloud.launch(request(zone), SIGNAL)).claim).toBe(CLAIM)
      await settle()
      expect(await cloud.listOrphanInterfaces(SIGNAL)).toEqual([])
    })

    it('gives up the interface of a claim whose machine never came', async () => {
      const { cloud, makeOrphanInterface, settle } = await fresh(make)
      await makeOrphanInterface(CLAIM)
      let outcome = await cloud.terminate(CLAIM, SIGNAL)
      await settle()
      if (outcome === 'terminating') outcome = await cloud.terminate(CLAIM, SIGNAL)
      expect(outcome).toBe('gone')
      expect(await cloud.listOrphanInterfaces(SIGNAL)).toEqual([])
    })

    it('ends with the reason of an aborted signal, and makes nothing', async () => {
      const { cloud, zone } = await fresh(make)
      await expect(cloud.launch(request(zone), abortedSignal('enough'))).rejects.toBe('enough')
      expect(await cloud.list(SIGNAL)).toEqual([])
    })
  })
}
