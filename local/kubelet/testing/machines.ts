// Machines for tests: their boot scripts, and a source that starts and stops them by hand.
import type { Machine, MachineListener, MachineSource } from '../../machine.ts'

export type BootFacts = {
  readonly apiServer: string
  readonly ca: string
  readonly token: string
  readonly flags: string
  readonly labels: string
  readonly version: string
  /** The text of provision.sh that the script waits for. */
  readonly waitsFor: string
}

export const TEST_FLAGS =
  '--cloud-provider=external --max-pods=110 --kube-reserved=cpu=180m,memory=3645Mi --system-reserved=cpu=0,memory=0 ' +
  '--eviction-hard=memory.available<750Mi --register-with-taints=karpenter.sh/unregistered:NoExecute'

/** The customData of a machine that can join. */
export function testCustomData(facts: Partial<BootFacts>): string {
  const variable = (name: string, value: string) => `${name}="${value}"`
  const script = [
    '#!/bin/bash',
    'set -o allexport',
    variable('API_SERVER_NAME', facts.apiServer ?? '127.0.0.1:6443'),
    variable('KUBE_CA_CRT', Buffer.from(facts.ca ?? '').toString('base64')),
    variable('TLS_BOOTSTRAP_TOKEN', facts.token ?? 'abcdef.0123456789abcdef'),
    variable('KUBERNETES_VERSION', facts.version ?? '1.34.2'),
    variable('KUBELET_FLAGS', facts.flags ?? TEST_FLAGS),
    variable('KUBELET_NODE_LABELS', facts.labels ?? 'karpenter.sh/nodepool=default,kubernetes.azure.com/mode=user'),
    `until grep -Fq '${facts.waitsFor ?? 'EOF'}' /opt/azure/containers/provision.sh; do sleep 1; done`,
    '/usr/bin/nohup /bin/bash -c "/bin/bash /opt/azure/containers/provision_start.sh"',
  ].join('\n')
  return Buffer.from(script).toString('base64')
}

/** A machine of 8 CPUs and 32 GiB. */
export function testMachine(name: string, customData: string, parts: Partial<Machine> = {}): Machine {
  return {
    id: `/subscriptions/s/resourceGroups/MC_Group/providers/Microsoft.Compute/virtualMachines/${name}`,
    name,
    size: 'Standard_D8s_v5',
    location: 'eastus',
    zone: '1',
    priority: 'Regular',
    customData,
    tags: {},
    cpus: 8,
    memoryBytes: 32 * 2 ** 30,
    gpus: 0,
    bootId: `boot of ${name}`,
    ...parts,
  }
}

export type TestMachines = MachineSource & {
  start(machine: Machine): void
  stop(name: string): void
  restart(name: string, bootId: string): void
}

export function testMachines(): TestMachines {
  const running = new Map<string, Machine>()
  const listeners = new Set<MachineListener>()
  return {
    listen: (listener) => {
      listeners.add(listener)
      for (const machine of running.values()) listener.started(machine)
      return () => listeners.delete(listener)
    },
    start: (machine) => {
      running.set(machine.name, machine)
      for (const listener of listeners) listener.started(machine)
    },
    stop: (name) => {
      const machine = running.get(name)
      running.delete(name)
      if (machine !== undefined) for (const listener of listeners) listener.stopped(machine)
    },
    restart: (name, bootId) => {
      const machine = running.get(name)
      if (machine === undefined) return
      const again = { ...machine, bootId }
      running.set(name, again)
      for (const listener of listeners) {
        listener.goesDown?.(machine)
        listener.started(again)
      }
    },
  }
}
