import type { StoreEvent } from '../store/store.ts'
import type { Api } from '../verbs/api.ts'

/** A control loop inside the server. It brings the store to the desired state, and runs again after each write that concerns it. */
export interface Controller {
  readonly reconcile: () => void
  readonly wantsToRun: (event: StoreEvent) => boolean
  readonly close?: () => void
}

export interface RunningControllers {
  close(): void
}

/** Runs controllers after the writes that concern them: soon, once for many writes, and never inside a write. */
export function runControllers(api: Api, controllers: readonly Controller[]): RunningControllers {
  const due = new Set<Controller>()
  let scheduled: NodeJS.Immediate | undefined
  const run = (): void => {
    scheduled = undefined
    const batch = [...due]
    due.clear()
    for (const controller of batch) controller.reconcile()
  }
  const stop = api.store.listen('*', (event) => {
    for (const controller of controllers) if (controller.wantsToRun(event)) due.add(controller)
    if (due.size > 0) scheduled ??= setImmediate(run)
  })
  return {
    close: () => {
      stop()
      clearImmediate(scheduled)
      for (const controller of controllers) controller.close?.()
    },
  }
}
