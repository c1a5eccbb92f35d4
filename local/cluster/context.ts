import type { KubeApi } from './client/api.ts'
import { type Informer, startInformer } from './client/informer.ts'
import type { KubeClient } from './client/kubeClient.ts'
import type { Stored } from './client/objects.ts'
import type { Resource } from './client/resource.ts'
import type { EventRecorder } from './eventRecorder.ts'

/** What every controller works with. */
export type ControllerContext = {
  readonly api: KubeApi
  readonly events: EventRecorder
  readonly log: (line: string) => void
  readonly now: () => number
  /** Divides every waiting time that only imitates real slowness. */
  readonly speed: number
  /** The one informer of a resource, started at its first use. */
  readonly informer: <Item extends Stored>(resource: Resource<Item>) => Informer<Item>
}

export type Controller = { close(): void }

/** Starts once what the controller looks at is known. */
export type ControllerStart = (context: ControllerContext) => Promise<Controller>

export type InformerSet = { readonly informer: ControllerContext['informer']; close(): void }

export function createInformers(client: KubeClient, log: (line: string) => void): InformerSet {
  const started = new Map<string, Informer<Stored>>()
  return {
    informer: <Item extends Stored>(resource: Resource<Item>) => {
      const name = `${resource.apiVersion}/${resource.plural}`
      const known = started.get(name)
      // The name is the resource's, so the items are of its type.
      if (known !== undefined) return known as unknown as Informer<Item>
      const informer = startInformer(resource, { client, log })
      started.set(name, informer as unknown as Informer<Stored>)
      return informer
    },
    close: () => {
      for (const informer of started.values()) informer.close()
    },
  }
}
