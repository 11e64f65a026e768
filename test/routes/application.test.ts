import { testArea } from './rows.ts'

testArea('application')
