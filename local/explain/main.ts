// npm run explain -- pods/NAMESPACE/NAME, or nodeclaims/NAME: asks the stack that npm start runs.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Command } from 'commander'
import { READER_FILE, type ReaderAccess } from '../stack/readerAccess.ts'
import { ask } from './ask.ts'

const RUNS = join(import.meta.dirname, '..', '..', '.local')

const command = new Command()
  .name('npm run explain --')
  .description('Says why a pod goes where it goes, or why a machine is what it is.')
  .argument('<about>', 'pods/NAMESPACE/NAME, or nodeclaims/NAME, where NAME may be that of a node')
  .option('--run <folder>', 'folder of the run, where several run beside each other; without, the one that was started last')
  .parse()
const [about = ''] = command.args
const file = accessFile(command.opts<{ readonly run?: string }>().run)
if (!/^(pods\/[^/]+\/[^/]+|nodeclaims\/[^/]+)$/.test(about)) command.error(`${about} is neither pods/NAMESPACE/NAME nor nodeclaims/NAME`)
if (file === undefined) command.error('no stack runs here; start one with: npm start')
else {
  // Written by the stack of the same version.
  const access: ReaderAccess = JSON.parse(readFileSync(file, 'utf8'))
  const { ok, text } = await ask(access, about, { fetch, pause: (ms) => pause(ms) })
  console.log(text)
  process.exitCode = ok ? 0 : 1
}

function accessFile(run: string | undefined): string | undefined {
  const folders = run === undefined ? runFolders() : [run]
  return folders
    .map((folder) => join(folder, READER_FILE))
    .filter((each) => existsSync(each))
    .sort((first, second) => statSync(second).mtimeMs - statSync(first).mtimeMs)[0]
}

function runFolders(): readonly string[] {
  if (!existsSync(RUNS)) return []
  return readdirSync(RUNS)
    .filter((name) => name.startsWith('run-'))
    .map((name) => join(RUNS, name))
}
