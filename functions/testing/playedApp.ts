import { joinNodes } from '../../shared/adapters/memory/joinNodes.ts'
import { createMemoryShim } from '../../shared/adapters/memory/memoryShim.ts'
import type { MemoryWorld } from '../../shared/adapters/memory/memoryWorld.ts'
import { createVirtualClock, type VirtualClock } from '../../shared/adapters/memory/virtualClock.ts'
import { durationMs } from '../../shared/model/units.ts'
import { nodeClass } from '../../test/builders/nodeClass.ts'
import { nodePool } from '../../test/builders/nodePool.ts'
import { createNodeController } from '../../test/crash/nodeController.ts'
import { createScheduler } from '../../test/crash/scheduler.ts'
import { createPlayedShim } from './playedShim.ts'
import { createTestApp, NOW, type TestApp } from './testApp.ts'

const TICK_MS = 250
const MINUTE = 60_000
/** Writes of the work that an invocation must cover. Changes of the cluster may be stored at any time. */
const COVERED = /^(api|cloud|ledger|lease|offerings|decisions)\./

/** The app in virtual time with the parts around it: host, shim, scheduler and kubelets. */
export interface PlayedApp {
  readonly app: TestApp
  readonly world: MemoryWorld
  readonly clock: VirtualClock
  /** Writes that began while no invocation was open, with their time since the start. */
  readonly uncovered: readonly { readonly operation: string; readonly at: number }[]
  /** What the shim posted, with the time since the start: the number of changes. */
  readonly posts: readonly { readonly changes: number; readonly at: number }[]
  /** The longest time that an invocation of the function was open. */
  longest(name: string): number
  invoke(name: string, input: unknown): Promise<void>
  /** Lets time pass until the condition holds. Returns how long that took, or undefined if the limit was reached. */
  runUntil(holds: () => boolean, limitMs: number): Promise<number | undefined>
}

export type PlayedAppOptions = {
  /** The shim takes answers as streams and comes when it is told to. Otherwise changes reach the log by themselves. */
  readonly hasShim: boolean
}

export function createPlayedApp({ hasShim }: PlayedAppOptions): PlayedApp {
  const clock = createVirtualClock(NOW)
  const over = new AbortController()
  const batch = { idle: durationMs(1_000), max: durationMs(10_000) }
  const app = createTestApp({ clock, clusters: ['alpha'], runsUntil: over.signal, batch })
  const world = app.worlds.alpha
  const uncovered: { readonly operation: string; readonly at: number }[] = []
  const longest = new Map<string, number>()
  let open = 0
  let timerAt: number = NOW + MINUTE
  world.objects.put('nodeClass', nodeClass())
  world.objects.put('nodePool', nodePool({ disruption: { budgets: [{ nodes: '100%' }] } }))
  const shim = createMemoryShim(world, 1)
  const unsent = [shim.snapshot()]
  const poster = createPlayedShim(app, clock, (running) => void whileOpen('events', running))
  const [control, schedule] = [createNodeController(world), createScheduler(world)]
  world.journal.onWrite((operation) => {
    if (open === 0 && COVERED.test(operation)) uncovered.push({ operation, at: clock.now() - NOW })
  })

  const invoke = (name: string, input: unknown): Promise<void> => whileOpen(name, async () => void (await app.run(name, input)))

  async function whileOpen(name: string, run: () => Promise<void>): Promise<void> {
    const began = clock.now()
    open++
    try {
      await run()
    } finally {
      open--
      longest.set(name, Math.max(longest.get(name) ?? 0, clock.now() - began))
    }
  }

  async function tick(): Promise<void> {
    joinNodes(world)
    control()
    schedule()
    const changes = shim.changes()
    if (changes !== undefined) unsent.push(changes)
    if (hasShim) poster.post(unsent.splice(0))
    else for (const record of unsent.splice(0)) await world.ports.log.append(record, new AbortController().signal)
    if (clock.now() >= timerAt) {
      timerAt += MINUTE
      void invoke('timer', {})
    }
    await clock.advance(TICK_MS)
  }

  return {
    app,
    world,
    clock,
    uncovered,
    posts: poster.posts,
    longest: (name) => longest.get(name) ?? 0,
    invoke,
    async runUntil(holds, limitMs) {
      const began = clock.now()
      while (clock.now() - began <= limitMs) {
        await tick()
        if (holds()) return clock.now() - began
      }
      return undefined
    },
  }
}
