import { testArea } from './rows.ts'

testArea('setup')
