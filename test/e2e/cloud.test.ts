import { describe, expect, it } from 'vitest'
import type { HttpFault } from '../../local/azure/faults.ts'
import type { Environment } from './environment.ts'
import { onCluster } from './onCluster.ts'
import { until } from './until.ts'

const PODS = 2

onCluster('the cloud', scenarios)

const WRITES: readonly HttpFault[] = ['networkInterfaces', 'virtualMachines'].flatMap((path) => [
  { method: 'PUT', path },
  { method: 'DELETE', path },
])
const THROTTLED = { status: 429, code: 'TooManyRequests', retryAfterSeconds: 1 }

function scenarios(environment: () => Environment): void {
  describe('ARM', () => {
    it.each<[string, HttpFault]>([
      ['cuts the connection before a write takes effect', { drop: 'before', times: 2 }],
      ['cuts the connection after a write took effect', { drop: 'after', times: 2 }],
      ['answers 500', { status: 500, code: 'InternalServerError', times: 2 }],
      ['answers 429 and says when to come again', { ...THROTTLED, times: 3 }],
    ])('%s: the machines come and go as planned', async (_name, fault) => {
      for (const write of WRITES) environment().stack.azure.script.http({ ...write, ...fault })
      await environment().scale('app', PODS)
      await environment().settle(PODS)
      await environment().scale('app', 0)
      await environment().settle(0)
      expect(environment().machinesMade()).toHaveLength(PODS)
      const struck = environment()
        .stack.azure.requests.all()
        .filter((request) => request.status === (fault.status ?? 0))
      expect(new Set(struck.map(({ method, type }) => `${method} ${type}`)).size).toBeGreaterThanOrEqual(WRITES.length - 1)
    })
  })

  describe('capacity', () => {
    it('refused at once is looked for elsewhere in the same step, under the same name', async () => {
      environment().stack.azure.script.capacity({ code: 'ZonalAllocationFailed', times: 2 })
      await environment().scale('app', PODS)
      await environment().settle(PODS)
      const asked = environment()
        .stack.azure.requests.all()
        .filter(({ method, type }) => method === 'PUT' && type === 'virtualMachines')
      expect(asked.map(({ status }) => status)).toContain(409)
      expect([...new Set(asked.map(({ name }) => name))].sort()).toEqual(environment().machinesMade())
      expect(environment().machinesMade()).toHaveLength(PODS)
      await environment().scale('app', 0)
      await environment().settle(0)
    })

    it('promised and then not given is replaced, and what failed is removed', async () => {
      environment().stack.azure.script.capacity({ code: 'AllocationFailed', when: 'fail', times: 1 })
      await environment().scale('app', PODS)
      await environment().settle(PODS)
      expect(environment().machinesMade()).toHaveLength(PODS + 1)
      await environment().scale('app', 0)
      await environment().settle(0)
    })

    it('refused to all spot machines is taken on demand', async () => {
      environment().stack.azure.script.capacity({ code: 'LowPriorityQuota', capacityType: 'spot' })
      await environment().scale('app', PODS)
      await environment().settle(PODS)
      expect(
        environment()
          .stack.azure.state()
          .vms.map((vm) => vm.priority),
      ).not.toContain('Spot')
      expect(environment().machinesMade()).toHaveLength(PODS)
      await environment().scale('app', 0)
      await environment().settle(0)
    })

    // The last test, because a refused offering stays blocked for minutes.
    it('refused to everything leaves nothing behind, and is said', async () => {
      environment().stack.azure.script.capacity({ code: 'RegionalQuota' })
      await environment().scale('app', PODS)
      await until(() =>
        environment()
          .said()
          .some((line) => String(line.fields['code']).startsWith('AZURE.QUOTA'))
          ? undefined
          : 'no quota was named',
      )
      await until(() => {
        const { vms, nics } = environment().stack.azure.state()
        return vms.length + nics.length === 0 ? undefined : `${vms.length} machines and ${nics.length} interfaces are left`
      })
      await environment().scale('app', 0)
      await environment().settle(0)
      expect(environment().machinesMade()).toEqual([])
    })
  })
}
