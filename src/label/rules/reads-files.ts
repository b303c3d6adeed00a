import { type Rule, words } from "../rule.js";

export const readsFiles: Rule = {
  name: "reads-files",
  label: "ingest_data",
  description: "Opens files, images, sounds or pages to read them.",
  strength: 0.75,
  any: {
    methods: words(`
      imread open load_img read_image decode_jpeg read_file dcmread readlines loads load urlopen urlretrieve from_df
      from_folder flow_from_directory flow_from_dataframe ImageFolder from_tensor_slices image_dataset_from_directory
      list_rows load_weights read
    `),
    calls: words(`
      imread load_img urlopen urlretrieve loadmat image_folder read_dicom dcmread ZipFile image_data_bunch open_image
      load_model load_image_file VideoCapture imread_collection load_json load_pickle load_npz read_wav
    `),
    builtins: ["open"],
  },
  unless: {
    methods: ["savefig", "dump"],
    strings: ["w", "wb", "a"],
  },
};
