// Checks what a person would look at once an installation runs: the app's answers, its container, the workbook.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { drawWorkbook } from '../../infra/monitor/draw/drawWorkbook.ts'
import { repositoryRoot } from '../floors.ts'
import { type Deployer, requireWell, runJoiner } from './runHook.ts'
import type { Container } from './world/container.ts'
import type { Platform } from './world/startInstallation.ts'

/** Asks the app as a person does, with a token of the cluster and nothing from Azure. */
export async function askApp(asker: Deployer): Promise<string> {
  const { world } = asker
  const { clusterResourceId } = world.azure
  const status = requireWell(await runJoiner(asker, ['status', '--cluster', clusterResourceId])).lines.join('\n')
  const { decisions = 0 }: { readonly decisions?: number } = JSON.parse(status)
  if (decisions === 0) throw new Error(`the status knows no decision: ${status}`)
  const node = world.azure.state().vms[0]?.name ?? 'none'
  const why = requireWell(await runJoiner(asker, ['explain', `nodeclaims/${node}`, '--cluster', clusterResourceId])).lines
  return `npx joiner status tells of ${decisions} decisions, and npx joiner explain of a node: ${why[0]}`
}

/** Checks from inside that the container of the forwarder cannot change itself and has no capabilities. */
export async function checkContainer(container: Container): Promise<string> {
  const script = `const fs = require('node:fs')
    let code = 'written'
    try { fs.writeFileSync('/app/new', '') } catch (error) { code = error.code }
    const rights = /^CapEff:\\s*(\\w+)$/m.exec(fs.readFileSync('/proc/1/status', 'utf8'))[1]
    console.log(JSON.stringify({ code, rights, program: fs.readFileSync('/proc/1/cmdline', 'utf8').split('\\0')[0] }))`
  const seen: unknown = JSON.parse(await container.exec(['/nodejs/bin/node', '-e', script]))
  const wanted = { code: 'EROFS', rights: '0000000000000000', program: '/nodejs/bin/node' }
  if (!isDeepStrictEqual(seen, wanted)) throw new Error(`the container is ${JSON.stringify(seen)}, and not ${JSON.stringify(wanted)}`)
  return 'the forwarder runs in the container of the release, read-only and without rights'
}

/** Draws the app's telemetry as the portal would show it. Metrics come every five minutes, and only what happened has rows. */
/** `name` tells the rehearsal. */
export function drawFor({ ingestion }: Platform, name: string): string {
  const { html, empty } = drawWorkbook((table) => ingestion.rows(table), `Joiner: a rehearsal of ${name}`)
  const missing = TOLD_AT_ONCE.filter((name) => empty.includes(name))
  if (missing.length > 0) throw new Error(`the app told nothing for ${missing.join(', ')}`)
  const folder = join(repositoryRoot, '.local', 'rehearsal')
  mkdirSync(folder, { recursive: true })
  const file = join(folder, `workbook-${name}.html`)
  writeFileSync(file, html)
  return `drawn in ${relative(repositoryRoot, file)}; without rows: ${empty.join(', ')}`
}

/** Queries about events that the story causes. */
const TOLD_AT_ONCE = ['why-by-decision', 'latency-trace', 'failures-launches', 'interruptions']
