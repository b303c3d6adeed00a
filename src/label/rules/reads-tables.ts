import { type Rule, words } from "../rule.js";

export const readsTables: Rule = {
  name: "reads-tables",
  label: "ingest_data",
  description: "Reads a table from a file or a database.",
  strength: 0.97,
  any: {
    calls: words(`
      read_csv read_table read_excel read_json read_parquet read_pickle read_hdf read_sql read_sql_query read_feather
      read_html read_fwf read_stata read_sas read_gbq read_file read_orc read_xml loadtxt genfromtxt read_spss
      read_clipboard read_rds read_pandas open_dataset load_workbook fromfile loadmat from_csv DictReader scan_csv
    `),
  },
};
