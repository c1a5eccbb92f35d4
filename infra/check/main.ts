// `npm run infra:check`: checks the templates without Azure and without the Bicep compiler. The compiler is asked, too, where it is on the path.
import { repositoryRoot } from '../../scripts/floors.ts'
import { checkInfra } from './checkInfra.ts'
import { checkCompiled, hasBicep } from './compiler/checkCompiled.ts'
import { repositorySources } from './sources.ts'

const sources = repositorySources(repositoryRoot)
const { findings: own, evaluations } = await checkInfra(sources)
const isCompiled = hasBicep(process.env['PATH'] ?? '')
const findings = [...own, ...(isCompiled ? await checkCompiled({ root: repositoryRoot, sources, env: process.env }) : [])]
if (sources.index === undefined) console.log('skipped: types and roles of Azure, since the public data is not beside the repository')
if (!isCompiled) console.log('skipped: the compiler, since no bicep is on the path')
for (const { file, line, rule, message } of findings) console.log(`${file}:${line} ${rule}: ${message}`)
const resources = evaluations.reduce((sum, each) => sum + each.resources.length, 0)
console.log(
  `${findings.length} problems in ${sources.files.length} files; ${evaluations.length} sets of parameters, ${resources} resources`,
)
process.exitCode = findings.length === 0 ? 0 : 1
