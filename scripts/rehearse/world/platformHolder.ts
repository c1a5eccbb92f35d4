// What Azure runs for an installation, from the moment its resources are there. An installation that is made anew has a new platform.
import type { ReleaseParts } from '../releaseParts.ts'
import type { DeployerPlace } from './deployerPlace.ts'
import { installationIn } from './installation.ts'
import { type Following, followForwarder } from './startCharts.ts'
import { type Platform, startPlatform } from './startInstallation.ts'
import type { World } from './startWorld.ts'

export interface PlatformHolder {
  /** Starts the platform of the resources that are there, unless it runs. */
  start(): Promise<Platform>
  /** The processes of the forwarder, from the start of the platform on. */
  following(): Promise<Following>
  /** The last lines of app and pods. */
  lines(): Promise<readonly string[]>
  /** Ends the processes of the forwarder. Those of the platform end with the world. */
  close(): Promise<void>
}

type Running = { readonly platform: Platform; readonly following: Following }

export function holdPlatform(world: World, place: DeployerPlace, release: ReleaseParts): PlatformHolder {
  let running: { readonly key: string; readonly parts: Promise<Running> } | undefined

  async function startAfter(former: Promise<Running> | undefined): Promise<Running> {
    if (former !== undefined) await end(await former)
    const platform = await startPlatform(world, place)
    return { platform, following: followForwarder(world, platform, release) }
  }

  return {
    async start() {
      // Azure gives it once to each component, so that it tells an installation from the one before.
      const { instrumentationKey: key } = installationIn(world)
      if (running?.key !== key) running = { key, parts: startAfter(running?.parts) }
      return (await running.parts).platform
    },
    async following() {
      if (running === undefined) throw new Error('nothing is installed yet')
      return (await running.parts).following
    },
    lines: async () => (running === undefined ? [] : (await running.parts).platform.lines),
    async close() {
      if (running !== undefined) await (await running.parts).following.end()
    },
  }
}

async function end({ platform, following }: Running): Promise<void> {
  await platform.stopApp()
  await following.end()
}
