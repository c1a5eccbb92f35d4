import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ok } from '../../shared/base/result.ts'
import type { Stack } from '../stack/startStack.ts'
import { runOnce } from './runOnce.ts'
import { createStageTimes, type Stage } from './stageTimes.ts'
import type { ClusterView } from './watchCluster.ts'

const BEGIN = Date.parse('2026-01-01T00:00:00Z')
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: BEGIN }))
afterEach(() => void vi.useRealTimers())

type Left = { claims: number; nodes: number; vms: number; nics: number }
type Row = { readonly action: string; readonly scope: string; readonly isGranted: boolean }

/** A stack that follows each request a second later. Every five pods have one machine. */
function demo(
  over: {
    readonly running?: (wanted: number) => number
    readonly pods?: (wanted: number) => number
    readonly left?: Partial<Left>
    readonly refusal?: string
    readonly rows?: readonly Row[]
  } = {},
) {
  const times = createStageTimes()
  const asked: unknown[] = []
  const lines: string[] = []
  const left: Left = { claims: 0, nodes: 0, vms: 0, nics: 0, ...over.left }
  let pods = 0
  let running = 0
  let claims = 0
  const reach = (claim: string, stage: Stage): void => times.reached(claim, stage, Date.now())
  const scaledTo = (replicas: number): void => {
    for (; claims < replicas / 5; claims++) reach(`default-${claims}`, 'decided')
    pods = (over.pods ?? ((wanted) => wanted))(replicas)
    running = (over.running ?? ((wanted) => wanted))(replicas)
    for (let claim = 0; claim < claims; claim++) reach(`default-${claim}`, 'node joined')
  }
  const stack = {
    client: {
      send: async (request: {
        readonly path: string
        readonly method: string
        readonly body: { readonly spec: { readonly replicas: number } }
      }) => {
        asked.push([request.method, request.path, request.body])
        setTimeout(() => scaledTo(request.body.spec.replicas), 1_000)
        return ok({})
      },
    },
    azure: {
      state: () => ({ vms: Array.from({ length: left.vms }), nics: Array.from({ length: left.nics }), disks: [] }),
      requests: {
        firstPut: (type: string, name: string) => (type === 'networkInterfaces' && name === 'joiner-default-0' ? BEGIN + 77 : undefined),
      },
      access: { rows: () => over.rows ?? [] },
    },
  } as unknown as Stack
  const view: ClusterView = {
    runningPods: (app) => (app === 'inflate' ? running : 0),
    pods: (app) => (app === 'inflate' ? pods : 0),
    claims: () => left.claims,
    nodes: () => left.nodes,
    refusal: () => over.refusal,
    close: () => undefined,
  }
  const played = async (): Promise<string | undefined> => {
    const run = runOnce(stack, view, times, (line) => void lines.push(line))
    await vi.advanceTimersByTimeAsync(200_000)
    return run
  }
  return { played, asked, lines }
}

describe('the demo of the quickstart', () => {
  it('scales to five pods, to twenty and to none, and tells how long each machine took', async () => {
    const { played, asked, lines } = demo()
    expect(await played()).toBeUndefined()
    const path = '/apis/apps/v1/namespaces/default/deployments/inflate'
    expect(asked).toEqual([5, 20, 0].map((replicas) => ['PATCH', path, { spec: { replicas } }]))
    const table = lines.join('\n')
    expect(table).toMatch(/scene +│ took +│ new nodes │ decided +│ claim made │ first ARM call/)
    const rows = table.split('\n').filter((line) => /pods/.test(line))
    expect(
      rows.map((row) =>
        row
          .split('│')
          .map((cell) => cell.trim())
          .slice(1, -1),
      ),
    ).toEqual([
      ['to 5 pods', '1000 ms', '1', '1000', '', '77', '', '1000', '', ''],
      ['to 20 pods', '1000 ms', '3', '1000', '', '', '', '1000', '', ''],
      ['to 0 pods', '1000 ms', '0', '', '', '', '', '', '', ''],
    ])
    expect(lines.at(-1)).toMatch(/\nmilliseconds from the scaling to each stage, first and last node$/)
  })

  it.each([
    [undefined, 'after 45 s with 20 replicas: 7 of 20 pods run'],
    [
      'pod default/inflate-x: no quota (AZURE.QUOTA.FAMILY)',
      'after 45 s with 20 replicas: 7 of 20 pods run; pod default/inflate-x: no quota (AZURE.QUOTA.FAMILY)',
    ],
  ])('ends where a scene does not, with what Joiner said of it: %s', async (refusal, want) => {
    const { played, asked, lines } = demo({ running: (wanted) => Math.min(7, wanted), ...(refusal === undefined ? {} : { refusal }) })
    expect(await played()).toBe(want)
    expect(asked).toHaveLength(2)
    expect(lines).toEqual([])
  })

  it('is not over while pods are there that do not run', async () => {
    expect(await demo({ running: () => 4 }).played()).toBe('after 45 s with 5 replicas: 4 of 5 pods run')
    expect(await demo({ pods: (wanted) => wanted + 1 }).played()).toBe('after 45 s with 5 replicas: 5 of 5 pods run')
  })

  it.each([
    [{ claims: 1 }, '1 nodeclaims, 0 nodes, 0 machines and 0 network interfaces are left'],
    [{ nodes: 2 }, '0 nodeclaims, 2 nodes, 0 machines and 0 network interfaces are left'],
    [{ vms: 3 }, '0 nodeclaims, 0 nodes, 3 machines and 0 network interfaces are left'],
    [{ nics: 4 }, '0 nodeclaims, 0 nodes, 0 machines and 4 network interfaces are left'],
  ])('is not over while something is left: %j', async (left, want) => {
    expect(await demo({ left }).played()).toBe(`after 45 s with 0 replicas: ${want}`)
  })

  it('fails where a right was missing, though all went well', async () => {
    const row = (action: string, isGranted: boolean): Row => ({ action, scope: `/of/${action}`, isGranted })
    expect(await demo({ rows: [row('read', true), row('write', true)] }).played()).toBeUndefined()
    const { played, lines } = demo({ rows: [row('read', true), row('join', false), row('write', true)] })
    expect(await played()).toBe("because the template's roles do not grant join on /of/join")
    expect(lines).toHaveLength(2)
  })
})
