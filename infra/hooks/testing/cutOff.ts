import type { HookDeps } from '../hookDeps.ts'

/** The machine that ran the hook is gone. Nothing happens after this error, and no code catches it. */
export class Gone extends Error {
  override readonly name = 'Gone'
}

export type Cut = {
  /** The call that the hook does not survive, counted from 0. */
  readonly at: number
  /** Whether the call still has its effect. */
  readonly side: 'before' | 'after'
}

export type CountedDeps = HookDeps & { readonly calls: () => readonly string[]; readonly isGone: () => boolean }

/** Counts each call to the outside, and dies at the call in `cut`. Calls for tokens do not count, because they change nothing. */
export function cutOff(deps: HookDeps, cut?: Cut): CountedDeps {
  const calls: string[] = []
  let isGone = false
  async function counted<Answer>(name: string, call: () => Promise<Answer>): Promise<Answer> {
    if (isGone) throw new Gone(`${name} was called by a process that is gone`)
    const at = calls.push(name) - 1
    const dies = cut?.at === at
    if (dies && cut?.side === 'before') {
      isGone = true
      throw new Gone(`before ${name}`)
    }
    const answer = await call()
    if (dies) {
      isGone = true
      throw new Gone(`after ${name}`)
    }
    return answer
  }
  const { access } = deps
  return {
    ...deps,
    calls: () => calls,
    isGone: () => isGone,
    access: {
      ...access,
      arm: (call, signal) => counted(`${call.method} ${call.path}`, () => access.arm(call, signal)),
      facts: (id, signal) => counted(`facts of ${id}`, () => access.facts(id, signal)),
      transport: (server) => {
        const call = access.transport(server)
        return (request, signal) => counted(`${request.method} ${request.path}`, () => call(request, signal))
      },
    },
    run: (program, args, more) => counted(`${program} ${args[0]}`, () => deps.run(program, args, more)),
  }
}
