import { type Rule, words } from "../rule.js";

export const writesTables: Rule = {
  name: "writes-tables",
  label: "transfer_results",
  description: "Writes a table or an array to a file.",
  strength: 0.95,
  any: {
    methods: words(`
      to_csv to_excel to_json to_parquet to_pickle to_hdf to_sql to_feather savetxt savez savez_compressed to_html
      to_gbq to_stata write_html write_csv to_latex to_markdown to_clipboard write_parquet
    `),
    calls: [
      "to_csv",
      "savetxt",
      "writerow",
      "writerows",
      "make_submission",
      "create_submission",
      "create_download_link",
      "FileLink",
    ],
  },
};
