// Runs the compiler where it is there: each template compiles without a warning, is formatted, and means what our evaluator makes of it.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { z } from 'zod'
import { findOnPath } from '../../../local/findOnPath.ts'
import { type CommandResult, runCommand } from '../../../scripts/runCommand.ts'
import type { Sources } from '../checkInfra.ts'
import { createEvaluator, DEPLOYMENT_CONTEXT, type Evaluator } from '../evaluate/evaluate.ts'
import type { Finding } from '../evaluate/session.ts'
import type { ParameterSet } from '../parameterSets.ts'
import { bicepLiteral } from './bicepLiteral.ts'
import { compareSnapshot } from './compareSnapshot.ts'

/** Reports whether `bicep` is on the path. */
export function hasBicep(path: string): boolean {
  return findOnPath('bicep', path) !== undefined
}

type Compiler = { readonly root: string; readonly sources: Pick<Sources, 'files' | 'layers' | 'readText'>; readonly env: NodeJS.ProcessEnv }

export async function checkCompiled({ root, sources, env }: Compiler): Promise<readonly Finding[]> {
  const run = (args: readonly string[]): Promise<CommandResult> => runCommand('bicep', args, { cwd: root, env })
  const findings: Finding[] = []
  for (const file of sources.files) findings.push(...(await diagnosticsOf(run, root, file)), ...(await formatOf(run, sources, file)))
  const evaluator = await createEvaluator(sources.readText)
  for (const { main, sets } of sources.layers)
    for (const set of sets) findings.push(...(await snapshotOf({ run, root, evaluator }, main, set)))
  return findings
}

type Run = (args: readonly string[]) => Promise<CommandResult>
/** `/path/main.bicep(3,7) : Warning no-unused-params: Parameter "x" ... [https://aka.ms/...]` */
const DIAGNOSTIC = /^(\S.*?)\((\d+),\d+\) : (?:Error|Warning) ([\w-]+): (.*)$/gm

/** Returns errors and warnings of a file. The compiler also prints the errors and warnings of its modules, which have their own turn. */
async function diagnosticsOf(run: Run, root: string, file: string): Promise<readonly Finding[]> {
  const { code, output } = await run(['build', file, '--stdout'])
  const found = [...output.matchAll(DIAGNOSTIC)].map(([, path = '', line, rule = '', message = '']) => ({
    file: path.startsWith('/') ? relative(root, path) : path,
    line: Number(line),
    rule,
    message,
  }))
  const isSilent = code !== 0 && found.length === 0
  return isSilent ? [{ file, line: 1, rule: 'bicep', message: output.trim() }] : found.filter((each) => each.file === file)
}

async function formatOf(run: Run, { readText }: Pick<Sources, 'readText'>, file: string): Promise<readonly Finding[]> {
  const { code, output } = await run(['format', file, '--stdout'])
  if (code !== 0) return [{ file, line: 1, rule: 'bicep', message: output.trim() }]
  const [wanted, held] = [linesOf(output), linesOf(readText(file) ?? '')]
  const at = wanted.findIndex((line, index) => line !== held[index])
  if (at < 0 && held.length === wanted.length) return []
  const line = at < 0 ? wanted.length : at
  return [{ file, line: line + 1, rule: 'bicep-format', message: `the formatter writes: ${wanted[line] ?? 'nothing more'}` }]
}

const linesOf = (text: string): readonly string[] => text.trimEnd().split('\n')

const snapshot = z.object({ predictedResources: z.array(z.record(z.string(), z.json())) })

async function snapshotOf(
  { run, root, evaluator }: { readonly run: Run; readonly root: string; readonly evaluator: Evaluator },
  main: string,
  { name, parameters, deploymentContext = {} }: ParameterSet,
): Promise<readonly Finding[]> {
  const wrong = (message: string): Finding => ({ file: main, line: 1, rule: 'bicep-snapshot', message: `${message} (parameters: ${name})` })
  const folder = mkdtempSync(join(tmpdir(), 'joiner-snapshot-'))
  try {
    const file = join(folder, 'main.bicepparam')
    const lines = Object.entries(parameters).map(([each, value]) => `param ${each} = ${bicepLiteral(value)}\n`)
    writeFileSync(file, `using ${bicepLiteral(join(root, main))}\n${lines.join('')}`)
    const context = { ...DEPLOYMENT_CONTEXT, ...deploymentContext }
    const { subscriptionId, tenantId, location } = context
    const place = ['--subscription-id', subscriptionId, '--tenant-id', tenantId, '--location', location]
    const { code, output } = await run(['snapshot', file, '--mode', 'overwrite', ...place])
    if (code !== 0) return [wrong(output.trim())]
    const read = snapshot.parse(JSON.parse(readFileSync(join(folder, 'main.snapshot.json'), 'utf8')))
    return compareSnapshot(evaluator.evaluate(main, parameters, { deploymentContext: context }), read.predictedResources).map(wrong)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
