import { describe, expect, it } from 'vitest'
import { objectKey, uid } from '../../shared/model/ids.ts'
import { CLASS_FINALIZER, LABEL } from '../../shared/model/labels.ts'
import { Fault, problem } from '../../shared/model/problem.ts'
import { durationMs } from '../../shared/model/units.ts'
import { node } from '../../test/builders/node.ts'
import { nodeClaim, nodeNameOf } from '../../test/builders/nodeClaim.ts'
import { pod } from '../../test/builders/pod.ts'
import { type Around, createDownWorld, Killed } from './testing/downWorld.ts'
import { OTHER_SUBSCRIPTION, SUBSCRIPTION, TOKEN } from './testing/fakeArm.ts'
import { ASSIGNMENTS, installed, NODES, OF_OTHERS, ROLE, roleId, stateOf } from './testing/installed.ts'

const LIMIT = durationMs(600_000)

describe('taking Joiner away', () => {
  it.each(['app', 'self'] as const)('leaves nothing of it and all that is of others, machines ended by the %s', async (by) => {
    const down = installed({ hasApp: by === 'app' })
    expect(await down.run({ by })).toBe(0)
    expect(stateOf(down)).toEqual(OF_OTHERS)
    expect(down.printed.slice(0, 2)).toEqual([
      'shop: 3 machines, $0.516/h',
      '  joiner-a       Standard_D4as_v6  eastus-1  on-demand  $0.172/h',
    ])
    expect(down.printed.at(-1)).toBe('nothing is left')
  })

  it('names what a machine cost with its disk when it was launched', async () => {
    const down = createDownWorld()
    down.addMachine('a', { meta: { labels: { [LABEL.instancePrice]: '0.199' } } })
    down.addMachine('b', { meta: { labels: { [LABEL.instancePrice]: 'much' } } })
    expect(await down.run()).toBe(0)
    const [all, ...each] = down.printed
    expect([all, ...each.slice(0, 2).map((line) => line.split('  ').at(-1))]).toEqual([
      'shop: 2 machines, $0.371/h',
      '$0.199/h',
      '$0.172/h',
    ])
  })

  it('closes the cluster before it deletes the first nodeclaim, and closes nothing else', async () => {
    const down = installed()
    const calls: string[] = []
    let rules: unknown
    await down.run({}, (name, effect) => {
      calls.push(name)
      if (name === 'api.deleteClaim') rules ??= down.objects.get(ROLE)
      return effect()
    })
    expect(calls.indexOf(`kube PATCH ${ROLE}`)).toBeLessThan(calls.indexOf('api.deleteClaim'))
    expect(rules).toMatchObject({
      rules: [
        { apiGroups: ['karpenter.sh'], resources: ['nodeclaims'], verbs: ['delete', 'get'] },
        { apiGroups: [''], resources: ['events'], verbs: ['create'] },
      ],
    })
  })

  it('lets machines stay where that is wished, and names them', async () => {
    const down = installed()
    expect(await down.run({ wish: { machines: 'keep', limit: LIMIT } })).toBe(0)
    const kept = stateOf(down).filter((each) => !OF_OTHERS.includes(each))
    const machines = ['machine joiner-a', 'machine joiner-b', 'machine joiner-orphan']
    const nics = ['nic joiner-a', 'nic joiner-b', 'nic joiner-nic', 'nic joiner-orphan']
    const disk = `${NODES}/providers/Microsoft.Compute/disks/joiner-left`.toLowerCase()
    const held = `class default ${CLASS_FINALIZER},of/another`
    expect(kept).toEqual([disk, 'claim a', 'claim b', held, ...machines, ...nics, 'node joiner-a', 'node joiner-b'])
    expect(down.world.objects.all('nodeClaim').every(({ meta }) => meta.deletedAt === undefined)).toBe(true)
    expect(down.printed.join('\n')).toContain('joiner-orphan')
    expect(down.printed).toContain(
      'these machines stay and still cost money; a later azd up takes them over, and npx joiner cleanup ends them',
    )
  })

  it('asks where nobody has said what becomes of the machines, and changes nothing without a yes', async () => {
    const down = installed()
    const before = stateOf(down)
    expect(await down.run({ wish: { machines: 'ask', limit: LIMIT } }, undefined, false)).toBe(1)
    expect(down.asked).toEqual(['Drain and delete these machines, and remove Joiner?'])
    expect(stateOf(down)).toEqual(before)
    expect(await down.run({ wish: { machines: 'ask', limit: LIMIT } })).toBe(0)
    expect(stateOf(down)).toEqual(OF_OTHERS)
  })

  it('says what would go, and writes nothing', async () => {
    const down = installed()
    const writes: string[] = []
    const before = stateOf(down)
    const code = await down.run({ dryRun: true }, (name, effect) => {
      if (!/^(kube GET|arm GET|helm get|api\.(get|list)|cloud\.(get|list))/.test(name)) writes.push(name)
      return effect()
    })
    expect([code, writes, stateOf(down)]).toEqual([0, [], before])
    expect(down.printed.filter((line) => line.startsWith('would be removed: '))).toEqual([
      'would be removed: shop: 2 nodeclaims, 3 machines, 1 network interface without a machine, 1 disk without a machine',
      'would be removed: shop: chart release joiner/joiner',
      'would be removed: shop: chart release joiner/joiner-crd',
      'would be removed: shop: /api/v1/namespaces/kube-system/secrets/bootstrap-token-aaaaaa',
      'would be removed: shop: /apis/coordination.k8s.io/v1/namespaces/joiner/leases/joiner-shim',
      'would be removed: shop: /api/v1/namespaces/joiner/pods/joiner-first-decision',
      'would be removed: shop: finalizer of aksnodeclass default',
      'would be removed: shop: finalizer of aksnodeclass other',
      `would be removed: event subscription joiner-${TOKEN}-x`,
      `would be removed: peering /subscriptions/${OTHER_SUBSCRIPTION}/resourcegroups/net/providers/microsoft.network/virtualnetworks/net/virtualNetworkPeerings/joiner-${TOKEN}`,
      `would be removed: zone link /subscriptions/${SUBSCRIPTION}/resourcegroups/net/providers/microsoft.network/privatednszones/zone/virtualNetworkLinks/joiner-${TOKEN}`,
      `would be removed: zone link ${NODES.toLowerCase()}/providers/microsoft.network/privatednszones/x.privatelink.eastus.azmk8s.io/virtualNetworkLinks/joiner-${TOKEN}`,
      `would be removed: role assignment on ${NODES}`,
      `would be removed: role assignment on ${NODES}`,
      `would be removed: role assignment on ${NODES}`,
      `would be removed: role assignment on /subscriptions/${OTHER_SUBSCRIPTION}/resourceGroups/net/providers/Microsoft.Network/virtualNetworks/net/subnets/nodes`,
      `would be removed: role definition Joiner node group ${TOKEN}`,
    ])
  })
})

describe('a drain', () => {
  const budget = (disruptionsAllowed: number) => ({
    key: objectKey('default', 'web'),
    uid: uid('pdb'),
    selector: { matchLabels: { app: 'web' }, matchExpressions: [] },
    disruptionsAllowed,
    unhealthyPodEvictionPolicy: 'IfHealthyBudget' as const,
    conditions: [],
  })

  it.each(['app', 'self'] as const)('that a budget never lets end names it, and removes nothing else (%s)', async (by) => {
    const down = installed({ hasApp: by === 'app' })
    const { world } = down
    world.objects.put('pod', pod({ name: 'web', nodeName: nodeNameOf('a'), phase: 'Running', labels: { app: 'web' } }))
    world.objects.put('podDisruptionBudget', budget(0))
    expect(await down.run({ by })).toBe(1)
    expect(down.printed.filter((line) => line.startsWith('FAIL')).join('\n')).toContain(
      'nodeclaim a: 1 pod is waiting to be evicted; poddisruptionbudget default/web holds pod default/web',
    )
    const left = stateOf(down)
    // The machine without an obstacle is gone, the other machine stays, and nothing that it needs was removed.
    expect(left.filter((each) => each.startsWith('claim'))).toEqual(['claim a'])
    expect(left).toEqual(
      expect.arrayContaining(['machine joiner-a', ROLE, `${NODES}/${ASSIGNMENTS}/as1`.toLowerCase(), roleId('r1').toLowerCase()]),
    )
    world.objects.put('podDisruptionBudget', budget(1))
    expect(await down.run({ by })).toBe(0)
    expect(stateOf(down)).toEqual(OF_OTHERS)
  })

  it('minds the pods on the node of a machine without a nodeclaim, and names what holds them', async () => {
    const down = installed({ hasApp: false })
    const { world } = down
    const [nodeOf, terminated] = [nodeNameOf('orphan'), [] as string[]]
    world.objects.put('node', node({ claim: 'orphan', meta: { finalizers: [] } }))
    for (const name of ['web', 'other']) {
      world.objects.put('pod', pod({ name, nodeName: nodeOf, phase: 'Running', labels: { app: name } }))
    }
    world.objects.put('podDisruptionBudget', budget(0))
    const watching: Around = (name, effect) => {
      if (name === 'cloud.terminate')
        terminated.push(
          world.objects
            .all('pod')
            .map((each) => `${each.key} ${each.nodeName}`)
            .join(),
        )
      return effect()
    }
    expect(await down.run({ by: 'self' }, watching)).toBe(1)
    expect(down.printed.filter((line) => line.startsWith('FAIL')).join('\n')).toContain(
      'end machine joiner-orphan, which has no nodeclaim: 1 pod is waiting to be evicted; poddisruptionbudget default/web holds pod default/web',
    )
    expect(stateOf(down)).toContain('machine joiner-orphan')
    expect(world.objects.all('node').find(({ name }) => name === nodeOf)?.taints).toMatchObject([{ key: 'karpenter.sh/disrupted' }])
    world.objects.put('podDisruptionBudget', budget(1))
    expect(await down.run({ by: 'self' }, watching)).toBe(0)
    expect(terminated.at(-1)).not.toContain('joiner-orphan')
    expect(stateOf(down).filter((each) => !each.startsWith('node '))).toEqual(OF_OTHERS)
  })

  it('waits for nobody on a machine without a nodeclaim whose node is not ready', async () => {
    const down = installed({ hasApp: false })
    down.world.objects.put('node', node({ claim: 'orphan', ready: false, meta: { finalizers: [] } }))
    down.world.objects.put('pod', pod({ name: 'stuck', nodeName: nodeNameOf('orphan'), phase: 'Running' }))
    expect(await down.run({ by: 'self' })).toBe(0)
    expect(stateOf(down)).not.toContain('machine joiner-orphan')
  })

  it('that nobody begins says so, and what helps where the app is dead', async () => {
    const down = installed({ hasApp: false })
    expect(await down.run()).toBe(1)
    expect(down.printed.join('\n')).toContain('the app has not begun to end it; where the app is dead run npx joiner cleanup')
    expect(stateOf(down)).toContain('machine joiner-a')
    expect(await down.run({ by: 'self' })).toBe(0)
    expect(stateOf(down)).toEqual(OF_OTHERS)
  })

  it('ends a claim whose machine is not there, and one that never had any', async () => {
    const down = installed({ hasApp: false })
    down.addMachine('lost')
    down.world.objects.put('nodeClaim', nodeClaim({ name: 'new', stage: 'created' }))
    expect(await down.run({ by: 'self' })).toBe(0)
    expect(stateOf(down)).toEqual(OF_OTHERS)
  })

  it('ends a claim that was made a moment ago: no storage is asked for the cores of its machine', async () => {
    const down = installed({ hasApp: false })
    down.addMachine('young', { meta: { createdAt: down.world.clock.now() } })
    expect(await down.run({ by: 'self' })).toBe(0)
    expect(stateOf(down)).toEqual(OF_OTHERS)
  })

  it('ends the node of a claim that is gone', async () => {
    const down = installed({ hasApp: false })
    down.world.objects.remove('nodeClaim', 'b')
    expect(await down.run({ by: 'self' })).toBe(0)
    expect(stateOf(down)).toEqual(OF_OTHERS)
  })

  it('leaves the claims of another provider alone', async () => {
    const down = installed()
    const ref = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'x' } as never
    down.world.objects.put('nodeClaim', nodeClaim({ name: 'foreign', spec: { nodeClassRef: ref } }))
    expect(await down.run()).toBe(0)
    expect(stateOf(down)).toEqual([...OF_OTHERS, 'claim foreign'].sort())
  })
})

describe('an outside that refuses', () => {
  it.each([
    ['the API server is away', /^api\.listClaims/, problem('KUBE.FAILED', 'the API server cannot be reached'), 6],
    ['the API server forbids', /^api\.deleteClaim/, problem('KUBE.FAILED', 'forbidden', { fields: { status: 403 } }), 1],
    ['ARM forbids', /^cloud\.terminate/, problem('AZURE.FORBIDDEN', 'AuthorizationFailed'), 1],
  ] as const)('stops all where %s', async (_, match, why, tries) => {
    const down = installed({ hasApp: false })
    let refused = 0
    const failing: Around = (name, effect) => {
      // The first call, for the inventory at the start, succeeds.
      if (!match.test(name) || (name === 'api.listClaims' && refused++ === 0)) return effect()
      refused++
      return Promise.reject(new Fault(name, why))
    }
    expect(await down.run({ by: 'self' }, failing)).toBe(1)
    expect(refused).toBeGreaterThanOrEqual(tries)
    expect(down.printed.filter((line) => line.startsWith('FAIL')).join('\n')).toContain(why.message)
    expect(stateOf(down)).toEqual(expect.arrayContaining([ROLE, 'machine joiner-a', roleId('r1').toLowerCase()]))
    expect(await down.run({ by: 'self' })).toBe(0)
    expect(stateOf(down)).toEqual(OF_OTHERS)
  })

  it.each([409, 429, 500])('is asked again where ARM answers %i', async (status) => {
    const down = installed()
    down.arm.refuse(/^DELETE .*(roleAssignments|roleDefinitions|eventSubscriptions)/, status, 3)
    down.arm.refuse(/^GET .*disks/, status === 409 ? 500 : status, 0)
    expect(await down.run()).toBe(0)
    expect(stateOf(down)).toEqual(OF_OTHERS)
    expect(down.printed.join('\n')).toContain(`stays for now: ${status} Refused: not now`)
  })

  it('ends with what Azure says where it may not remove a right', async () => {
    const down = installed()
    down.arm.refuse(/^DELETE .*roleDefinitions/, 403)
    await expect(down.run()).rejects.toThrow(`delete role definition Joiner node group ${TOKEN}: 403 Refused: not now`)
    expect(await down.run()).toBe(0)
    expect(stateOf(down)).toEqual(OF_OTHERS)
  })

  it('says what is left where Azure never lets it go', async () => {
    const down = installed()
    down.arm.refuse(/^DELETE .*roleDefinitions/, 409, 1_000)
    expect(await down.run()).toBe(1)
    expect(down.printed.at(-1)).toBe(`FAIL  left: role definition Joiner node group ${TOKEN}`)
  })

  it('stops where Helm cannot uninstall', async () => {
    const down = installed()
    const cluster = {
      ...down.cluster,
      helm: (args: readonly string[]) =>
        args[0] === 'uninstall' ? Promise.resolve({ code: 1, out: '', errors: 'timed out' }) : down.cluster.helm(args),
    }
    await expect(down.run({ clusters: [cluster] })).rejects.toThrow('uninstall release joiner/joiner of cluster shop: helm: timed out')
    expect(stateOf(down)).toContain(roleId('r1').toLowerCase())
  })
})

describe('a process that is killed', () => {
  /** The process is killed at its n-th call, before or after the call has its effect. */
  function killingAt(n: number, when: 'before' | 'after'): { readonly around: Around; calls(): number } {
    let count = 0
    return {
      calls: () => count,
      async around(name, effect) {
        count++
        if (count > n || (count === n && when === 'before')) throw new Killed(name)
        const value = await effect()
        if (count >= n) throw new Killed(name)
        return value
      },
    }
  }

  it.each(['before', 'after'] as const)('%s any of its calls is made good by the next', async (when) => {
    const all = killingAt(Number.POSITIVE_INFINITY, when)
    await installed({ hasApp: false, deleteMs: 0 }).run({ by: 'self' }, all.around)
    expect(all.calls()).toBeGreaterThan(80)
    for (let n = 1; n <= all.calls(); n++) {
      const down = installed({ hasApp: false, deleteMs: 0 })
      await expect(down.run({ by: 'self' }, killingAt(n, when).around), `call ${n}`).rejects.toThrow(Killed)
      expect(await down.run({ by: 'self' }), `after call ${n}`).toBe(0)
      expect(stateOf(down), `after call ${n}`).toEqual(OF_OTHERS)
    }
  })
})
