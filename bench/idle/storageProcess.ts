// Runs Azurite for a bench, as a child process. It ends with the bench.
import { startStorage } from '../../local/storage/startStorage.ts'

const storage = await startStorage()
process.once('disconnect', () => process.exit())
process.send?.(storage.connectionString)
